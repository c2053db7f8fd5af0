// An answer does not depend on its neighbours: the same bits alone, in a batch, in any order and
// for any number of threads.
#include <algorithm>
#include <numeric>
#include <random>

#include "tests/models/model_runner.h"
#include "tests/models/random_checkpoint.h"

namespace dikast::testing {
namespace {

constexpr size_t kBatch = 16;
constexpr BatchLimits kLimits = {
    .tokens = 2400, .sequences = kBatch, .markers = 80, .sequence_tokens = 150};

std::vector<Sequence> MixedSequences(std::mt19937& random) {
  std::vector<Sequence> sequences(kBatch);
  for (Sequence& sequence : sequences) {
    const size_t length = 1 + random() % 150;
    for (size_t i = 0; i < length; ++i)
      sequence.ids.push_back(static_cast<int32_t>(random() % 211));
    for (size_t m = 0; m < 1 + random() % 5; ++m) {
      sequence.markers.push_back(static_cast<uint32_t>(random() % length));
    }
    sequence.type = static_cast<uint8_t>(random() % 3);
  }
  return sequences;
}

class BatchInvariance : public ::testing::TestWithParam<std::tuple<bool, uint32_t>> {};
INSTANTIATE_TEST_SUITE_P(Models, BatchInvariance,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(0, 1, 2)));

TEST_P(BatchInvariance, SameBitsWithAnyNeighbours) {
  const auto [modern, head_layers] = GetParam();
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const RandomCheckpoint checkpoint(modern ? SmallModernBert(head_layers) : SmallBert(head_layers),
                                    seed, Storage::kF32);
  const std::vector<Sequence> sequences = MixedSequences(random);
  std::vector<size_t> order(kBatch);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<Sequence> shuffled;
  for (const size_t s : order) shuffled.push_back(sequences[s]);

  for (const Isa isa : AvailableIsaList()) {
    SCOPED_TRACE(IsaName(isa));
    ModelRunner one(checkpoint.config(), checkpoint.file(), isa, 1, kLimits);
    ModelRunner two(checkpoint.config(), checkpoint.file(), isa, 2, kLimits);
    std::vector<Output> alone;
    for (const Sequence& sequence : sequences) alone.push_back(one.Run({sequence})[0]);
    const std::vector<Output> batch = one.Run(sequences), threads = two.Run(sequences),
                              reordered = two.Run(shuffled);
    for (size_t s = 0; s < kBatch; ++s) {
      EXPECT_TRUE(SameBits(alone[s], batch[s])) << "sequence " << s << " in a batch";
      EXPECT_TRUE(SameBits(alone[s], threads[s])) << "sequence " << s << " on two threads";
      EXPECT_TRUE(SameBits(alone[order[s]], reordered[s])) << "sequence " << order[s] << " moved";
    }
  }
}

}  // namespace
}  // namespace dikast::testing
