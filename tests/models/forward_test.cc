// Every pass against the formulas in double precision: small random models, states layer by layer.
#include <algorithm>
#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "models/decision_head.h"
#include "models/modernbert.h"
#include "tests/models/double_model.h"
#include "tests/models/model_runner.h"

namespace dikast::testing {
namespace {

constexpr double kStateTolerance = 2e-5;  // of the largest number in a layer
constexpr double kLogitTolerance = 1e-4;

std::vector<Sequence> RandomSequences(const std::vector<size_t>& lengths, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Sequence> sequences;
  for (const size_t length : lengths) {
    Sequence sequence;
    for (size_t i = 0; i < length; ++i)
      sequence.ids.push_back(static_cast<int32_t>(random() % 211));
    for (size_t m = 0; m < 1 + random() % 4; ++m) {
      sequence.markers.push_back(static_cast<uint32_t>(random() % length));
    }
    sequence.type = static_cast<uint8_t>(random() % 3);
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

// The states of a packed batch, as the observer saw them.
using Observed = std::vector<std::vector<float>>;

double StateDistance(const Rows& expected, const float* actual) {
  double largest = 0, distance = 0;
  for (size_t r = 0; r < expected.size(); ++r) {
    for (size_t c = 0; c < expected[r].size(); ++c) {
      const double difference = std::abs(expected[r][c] - actual[r * expected[r].size() + c]);
      if (std::isnan(difference)) return INFINITY;
      largest = std::max(largest, std::abs(expected[r][c]));
      distance = std::max(distance, difference);
    }
  }
  return distance / largest;
}

void ExpectNear(const std::vector<double>& expected, const std::vector<float>& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(expected[i], actual[i], kLogitTolerance) << "number " << i;
  }
}

// Runs the sequences as one batch and compares states, logits and action logits.
void CompareWithDouble(const CheckpointConfig& config, Storage matrices,
                       const std::vector<size_t>& lengths) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const RandomCheckpoint checkpoint(config, seed, matrices);
  const std::vector<Sequence> sequences = RandomSequences(lengths, seed + 1);
  std::vector<DoubleOutput> expected;
  for (const Sequence& s : sequences) {
    expected.push_back(RunInDouble(checkpoint, s.ids, s.markers, s.type));
  }
  const PackedBatch batch(sequences);
  for (const Isa isa : AvailableIsaList()) {
    SCOPED_TRACE(IsaName(isa));
    ModelRunner runner(checkpoint.config(), checkpoint.file(), isa, 2,
                       {.tokens = static_cast<uint32_t>(batch.ids.size()),
                        .sequences = static_cast<uint32_t>(sequences.size()),
                        .markers = static_cast<uint32_t>(batch.markers.size()),
                        .sequence_tokens = 512});
    Observed observed;
    runner.model().set_observer([&](uint32_t layer, std::span<const float> rows) {
      EXPECT_EQ(layer, observed.size());
      observed.emplace_back(rows.begin(), rows.end());
    });
    const std::vector<Output> outputs = runner.Run(sequences);
    ASSERT_EQ(observed.size(), expected[0].states.size());
    double farthest = 0;
    for (size_t s = 0; s < sequences.size(); ++s) {
      SCOPED_TRACE("length " + std::to_string(sequences[s].ids.size()));
      ExpectNear(expected[s].logits, outputs[s].logits);
      ExpectNear(expected[s].actions, outputs[s].actions);
      for (size_t layer = 0; layer < observed.size(); ++layer) {
        const float* rows = observed[layer].data() + batch.offsets[s] * 128;
        farthest = std::max(farthest, StateDistance(expected[s].states[layer], rows));
      }
    }
    EXPECT_LE(farthest, kStateTolerance);
    std::printf("%s: states within %.2g of the double-precision formulas\n",
                std::string(IsaName(isa)).c_str(), farthest);
  }
}

class HeadLayers : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Forward, HeadLayers, ::testing::Values(0, 1, 2, 3));

TEST_P(HeadLayers, ModernBert) {
  CompareWithDouble(SmallModernBert(GetParam()), Storage::kF32, {1, 2, 7, 33, 5});
}
TEST_P(HeadLayers, Bert) {
  CompareWithDouble(SmallBert(GetParam()), Storage::kF32, {1, 2, 7, 33, 5});
}

// Lengths around the window: 64 positions to each side see 129 keys.
TEST(Forward, ModernBertWindowEdges) {
  CompareWithDouble(SmallModernBert(1), Storage::kF32, {63, 64, 65, 66, 127, 128, 129, 130});
}
TEST(Forward, ModernBertLongSequences) {
  CompareWithDouble(SmallModernBert(1), Storage::kF32, {255, 256, 257});
}
TEST(Forward, BertLongestSequence) { CompareWithDouble(SmallBert(1), Storage::kF32, {512, 1}); }

TEST(Forward, NarrowWindowAndTanhActivation) {
  CheckpointConfig config = SmallModernBert(1);
  auto& encoder = std::get<ModernBertConfig>(config.encoder);
  encoder.half_window = 3;
  encoder.activation = HiddenActivation::kGeluTanh;
  encoder.global = {false, true, false};
  encoder.local_rope_base = 160000;
  CompareWithDouble(config, Storage::kF32, {1, 3, 4, 5, 8, 50});
}

TEST(Forward, ReluBert) {
  CheckpointConfig config = SmallBert(0);
  std::get<BertConfig>(config.encoder).activation = HiddenActivation::kRelu;
  CompareWithDouble(config, Storage::kF32, {9, 4});
}

CheckpointConfig SmallMpnet() {
  CheckpointConfig config = SmallBert(0);
  std::get<BertConfig>(config.encoder).relative_buckets = 32;
  return config;
}

// Every bucket, on both sides: they grow up to a distance of 128.
TEST(Forward, RelativePositions) {
  CompareWithDouble(SmallMpnet(), Storage::kF32, {1, 2, 7, 9, 33, 65, 130});
}
TEST(Forward, RelativePositionsInFourBits) {
  CompareWithDouble(SmallMpnet(), Storage::kAffine4, {20, 3});
}

class Storages : public ::testing::TestWithParam<Storage> {};
INSTANTIATE_TEST_SUITE_P(Forward, Storages,
                         ::testing::Values(Storage::kBF16, Storage::kAffine8, Storage::kAffine4),
                         [](const auto& info) { return std::string(StorageName(info.param)); });

TEST_P(Storages, ModernBert) { CompareWithDouble(SmallModernBert(2), GetParam(), {20, 3}); }
TEST_P(Storages, Bert) { CompareWithDouble(SmallBert(2), GetParam(), {20, 3}); }

TEST(Forward, SequencesPastTheLearnedPositionsAreRefused) {
  const RandomCheckpoint checkpoint(SmallBert(0), 1, Storage::kF32);
  const Weights weights = Weights::Open(checkpoint.file(), checkpoint.config()).value();
  ThreadPool pool(1);
  const auto model =
      DecisionModel::Create(checkpoint.config(), weights, ReferenceOps(), pool,
                            {.tokens = 513, .sequences = 1, .markers = 1, .sequence_tokens = 513});
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().message, ::testing::HasSubstr("513"));
  EXPECT_THAT(model.error().message, ::testing::HasSubstr("512"));
}

TEST(Rotations, AnglesAreFormedInSinglePrecision) {
  const Rotations rotations = MakeRotations(10000, 64, 512);
  const float frequency = 1.0f / static_cast<float>(std::pow(10000.0, 2.0 / 64));
  const float angle = 511.0f * frequency;
  EXPECT_EQ(rotations.cosine[511 * 32 + 1], static_cast<float>(std::cos(double{angle})));
  EXPECT_EQ(rotations.sine[511 * 32 + 1], static_cast<float>(std::sin(double{angle})));
  // The exact angle would give another number: this is the rounding that parity needs.
  const double exact = 511 * std::pow(10000.0, -2.0 / 64);
  EXPECT_GT(std::abs(std::cos(exact) - rotations.cosine[511 * 32 + 1]), 1e-6);
}

TEST(LogitStatistics, OneOptionIsCertain) {
  float statistics[kStatistics];
  LogitStatistics(std::vector<float>{-3.5f}, statistics);
  EXPECT_THAT(statistics, ::testing::ElementsAre(1, 1, 0, 2.0f / 255));
}

TEST(LogitStatistics, ThreeOptions) {
  float statistics[kStatistics];
  const std::vector<float> logits = {std::log(0.25f), std::log(0.5f), std::log(0.25f)};
  LogitStatistics(logits, statistics);
  EXPECT_NEAR(statistics[0], 0.5, 1e-7);
  EXPECT_NEAR(statistics[1], 0.25, 1e-7);
  EXPECT_NEAR(statistics[2], 1.5 * std::log(2.0) / std::log(3.0), 1e-6);
  EXPECT_NEAR(statistics[3], 3.0 / 255, 1e-9);
}

TEST(LogitStatistics, EqualOptionsHaveNoMargin) {
  float statistics[kStatistics];
  LogitStatistics(std::vector<float>{7, 7, 7, 7}, statistics);
  EXPECT_THAT(statistics, ::testing::ElementsAre(0.25f, 0, ::testing::FloatEq(1), 4.0f / 255));
}

}  // namespace
}  // namespace dikast::testing
