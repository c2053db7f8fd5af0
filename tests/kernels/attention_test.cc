// Attention against the oracle, at the edges of windows, blocks and chunks.
#include "tests/kernels/harness.h"

namespace dikast {
namespace {

// Fused rows [q | k | v] of packed sequences.
struct Packed {
  std::vector<uint32_t> offsets = {0};
  AttentionShape shape;
  std::vector<float> qkv;

  Packed(Random& random, std::initializer_list<size_t> lengths, size_t heads, size_t head_dim,
         std::optional<uint32_t> half_window, float deviation = 1) {
    for (const size_t length : lengths) {
      offsets.push_back(offsets.back() + static_cast<uint32_t>(length));
    }
    shape = {.heads = heads,
             .head_dim = head_dim,
             .stride = 3 * heads * head_dim,
             .scale = 1 / std::sqrt(static_cast<float>(head_dim)),
             .half_window = half_window};
    qkv = random.Normals(rows() * shape.stride, deviation);
  }
  size_t rows() const { return offsets.back(); }
  size_t width() const { return shape.heads * shape.head_dim; }
  float& value(size_t row, size_t column) { return qkv[row * shape.stride + 2 * width() + column]; }
  size_t longest() const {
    size_t longest = 0;
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      longest = std::max<size_t>(longest, offsets[s + 1] - offsets[s]);
    }
    return longest;
  }
};

std::vector<float> Attend(const Ops& ops, const Packed& p, int threads = 1) {
  Machine machine(ops, p.longest(), 1, p.shape.head_dim, threads);
  std::vector<float> out(p.rows() * p.width(), NAN);
  const float* q = p.qkv.data();
  ops.attention(machine.context(), q, q + p.width(), q + 2 * p.width(), p.offsets, p.shape,
                out.data());
  return out;
}

class Attention : public testing::TestWithParam<Isa> {
 protected:
  const Ops& ops_ = *FindOps(GetParam());

  // In units of the largest |v|, about 4: an output is a mean of values.
  void Compare(const Packed& p, Distance& distance) {
    const auto found = Attend(ops_, p), expected = Attend(ReferenceOps(), p);
    for (size_t i = 0; i < found.size(); ++i) distance.Add(found[i], expected[i], 4);
  }
};

constexpr std::optional<uint32_t> kFull = std::nullopt;

TEST_P(Attention, EveryLengthUpTo70) {
  Random random(30);
  Distance distance(Name(GetParam(), "attention, short"), 1e-6);
  for (size_t length = 1; length <= 70; ++length) {
    for (const auto window : {kFull, {0}, {1}, {8}, {64}}) {
      Compare(Packed(random, {length}, 1, 64, window), distance);
    }
  }
}

TEST_P(Attention, WindowAndBlockEdges) {
  Random random(31);
  Distance distance(Name(GetParam(), "attention, edges"), 1e-6);
  for (const size_t length :
       {95, 96, 97, 127, 128, 129, 130, 191, 192, 193, 255, 256, 257, 511, 512, 513}) {
    for (const auto window : {kFull, {63}, {64}, {65}}) {
      Compare(Packed(random, {length}, 1, 64, window), distance);
    }
  }
}

TEST_P(Attention, HeadWidthsAndManySequences) {
  Random random(32);
  Distance distance(Name(GetParam(), "attention, mixed"), 1e-6);
  for (const size_t head_dim : {2, 8, 16, 30, 32, 48, 50, 64, 80, 128}) {
    for (const auto window : {kFull, {5}, {64}}) {
      const size_t n = random.Between(1, 90);
      Compare(Packed(random, {n, 1, 17, 300, 0, 33}, 3, head_dim, window), distance);
    }
  }
}

// A key at distance 64 counts, one at 65 does not, on both sides and at every length.
TEST_P(Attention, WindowIsInclusiveAndNoWider) {
  Random random(33);
  for (const size_t length : {127, 128, 129, 130, 200, 300}) {
    Packed p(random, {length}, 1, 64, 64);
    const auto before = Attend(ops_, p);
    const size_t key = random.Between(0, length - 1);
    p.value(key, 3) += 100;
    const auto after = Attend(ops_, p);
    for (size_t i = 0; i < length; ++i) {
      const bool visible = (i > key ? i - key : key - i) <= 64;
      const bool changed = before[i * 64 + 3] != after[i * 64 + 3];
      ASSERT_EQ(changed, visible) << length << ": query " << i << ", key " << key;
    }
  }
}

TEST_P(Attention, LargeScoresStayFinite) {
  Random random(34);
  for (const auto window : {kFull, {64}}) {
    const Packed p(random, {1, 2, 129, 300}, 2, 64, window, 200);
    for (const float value : Attend(ops_, p)) ASSERT_TRUE(std::isfinite(value));
  }
}

// What a distance adds, in full and local layers, over all tails of the panels and blocks.
TEST_P(Attention, BiasOfDistance) {
  Random random(36);
  Distance distance(Name(GetParam(), "attention, bias"), 1e-6);
  for (const size_t length : {1, 2, 15, 16, 17, 33, 64, 65, 130, 257, 300}) {
    for (const auto window : {kFull, {8}, {64}}) {
      Packed p(random, {length, 3}, 2, 32, window);
      const size_t reach = std::max<size_t>(length, 3) - 1 + random.Between(0, 5);
      const std::vector<float> table = random.Normals(2 * (2 * reach + 1), 2);
      p.shape.bias = {table.data(), reach};
      Compare(p, distance);
    }
  }
}

// A longer sequence than the chunk: memory of a local layer must not grow with the square.
TEST_P(Attention, ScratchIsLinearInTheLength) {
  const size_t at_4k = ops_.scratch_floats(4096, 4096, 64);
  const size_t at_8k = ops_.scratch_floats(8192, 4096, 64);
  EXPECT_LE(at_8k, 2 * at_4k);
}

TEST_P(Attention, SequencesDoNotSeeEachOther) {
  Random random(35);
  for (const auto window : {kFull, {64}}) {
    const Packed batch(random, {5, 140, 64, 300, 1}, 2, 64, window);
    const auto together = Attend(ops_, batch);
    for (size_t s = 0; s + 1 < batch.offsets.size(); ++s) {
      const size_t begin = batch.offsets[s], end = batch.offsets[s + 1];
      Packed alone(random, {end - begin}, 2, 64, window);
      std::copy(batch.qkv.begin() + begin * batch.shape.stride,
                batch.qkv.begin() + end * batch.shape.stride, alone.qkv.begin());
      const auto out = Attend(ops_, alone);
      EXPECT_TRUE(SameBits(out, std::span(together).subspan(begin * 128, (end - begin) * 128)));
    }
    for (const int threads : {2, 3}) EXPECT_TRUE(SameBits(Attend(ops_, batch, threads), together));
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Attention,
                         testing::ValuesIn(AvailableIsaList().begin(), AvailableIsaList().end()),
                         [](const auto& isa) { return std::string(IsaName(isa.param)); });

}  // namespace
}  // namespace dikast
