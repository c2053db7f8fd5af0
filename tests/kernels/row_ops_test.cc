// Norms, rotation, gate and the row movers against the oracle, at every row length of the tails.
#include "tests/kernels/harness.h"

namespace dikast {
namespace {

class RowOps : public testing::TestWithParam<Isa> {
 protected:
  const Ops& ops_ = *FindOps(GetParam());
  Machine machine_{ops_, 1, 1, 1}, oracle_machine_{ReferenceOps(), 1, 1, 1};
  OpContext context_ = machine_.context(), oracle_ = oracle_machine_.context();
};

std::vector<size_t> Lengths() {
  std::vector<size_t> lengths(70);
  for (size_t i = 0; i < lengths.size(); ++i) lengths[i] = i + 1;
  lengths.insert(lengths.end(), {127, 128, 129, 384, 768, 1024, 1028, 4096});
  return lengths;
}

// In units of |normal * weight| + |bias| + 1: the mean of a row rounds at its largest element.
// Subtracting the mean cancels: a row of near-equal values loses digits in proportion to its
// largest value over its deviation, in any order of summation.
double Condition(const float* row, size_t columns, double eps) {
  double sum = 0, squares = 0, largest = 0;
  for (size_t c = 0; c < columns; ++c) sum += row[c];
  for (size_t c = 0; c < columns; ++c) {
    squares += (row[c] - sum / columns) * (row[c] - sum / columns);
    largest = std::max<double>(largest, std::abs(row[c]));
  }
  return largest / std::sqrt(squares / columns + eps);
}

TEST_P(RowOps, LayerNorm) {
  Random random(20);
  Distance distance(Name(GetParam(), "layer_norm"), 1e-6);
  for (const size_t columns : Lengths()) {
    const size_t rows = random.Between(1, 40);
    auto x = random.Normals(rows * columns, 3);
    const auto weight = random.Normals(columns), bias = random.Normals(columns);
    for (const float* b : {static_cast<const float*>(nullptr), bias.data()}) {
      std::vector<float> found(x.size()), expected(x.size());
      ops_.layer_norm(context_, x.data(), rows, columns, weight.data(), b, 1e-5f, found.data());
      ReferenceOps().layer_norm(oracle_, x.data(), rows, columns, weight.data(), b, 1e-5f,
                                expected.data());
      for (size_t r = 0; r < rows; ++r) {
        const double condition = Condition(x.data() + r * columns, columns, 1e-5f);
        for (size_t c = 0; c < columns; ++c) {
          const size_t i = r * columns + c;
          const double scale = std::abs(weight[c]) * condition + (b ? std::abs(b[c]) : 0);
          distance.Add(found[i], expected[i], scale);
        }
      }
      auto in_place = x;
      ops_.layer_norm(context_, in_place.data(), rows, columns, weight.data(), b, 1e-5f,
                      in_place.data());
      ASSERT_TRUE(SameBits(in_place, found)) << columns;
    }
  }
}

// Rows without variance, rows of the size that a decision head reaches, rows near the float range.
TEST_P(RowOps, LayerNormStaysFinite) {
  for (const size_t columns : Lengths()) {
    std::vector<float> x(3 * columns, 5.0f), weight(columns, 1.0f), out(x.size());
    for (size_t c = 0; c < columns; ++c) {
      x[columns + c] = c % 2 ? 1e4f : -1e4f;
      x[2 * columns + c] = c % 2 ? 1e17f : -1e17f;
    }
    ops_.layer_norm(context_, x.data(), 3, columns, weight.data(), nullptr, 1e-12f, out.data());
    for (const float value : out) ASSERT_TRUE(std::isfinite(value)) << columns;
    EXPECT_NEAR(out[0], 0, 1) << columns;
  }
}

TEST_P(RowOps, Rope) {
  Random random(21);
  Distance distance(Name(GetParam(), "rope"), 2e-7);
  for (const size_t half : {1, 2, 7, 8, 15, 16, 17, 32, 40, 64}) {
    const AttentionShape shape{.heads = 3, .head_dim = 2 * half, .stride = 9 * 2 * half};
    const size_t rows = random.Between(1, 40), positions = 50;
    auto cosine = random.Normals(positions * half), sine = cosine;
    for (float& c : cosine) c = std::cos(c);
    for (float& s : sine) s = std::sin(s);
    const auto qkv = random.Normals(rows * shape.stride);
    std::vector<uint32_t> position(rows);
    for (uint32_t& p : position) p = static_cast<uint32_t>(random.Between(0, positions - 1));
    auto found = qkv, expected = qkv;
    const size_t k = 3 * shape.head_dim;
    const RopeTable table{cosine, sine};
    ops_.rope(context_, found.data(), found.data() + k, rows, shape, position, table);
    ReferenceOps().rope(oracle_, expected.data(), expected.data() + k, rows, shape, position,
                        table);
    for (size_t i = 0; i < qkv.size(); ++i) {
      if (i % shape.stride >= 2 * k) {
        ASSERT_EQ(found[i], qkv[i]);  // the values stay
      } else {
        const size_t partner = i % shape.head_dim < half ? i + half : i - half;
        distance.Add(found[i], expected[i], std::hypot(qkv[i], qkv[partner]));
      }
    }
  }
}

TEST_P(RowOps, Gated) {
  Random random(22);
  for (const auto& [activation, name] : {std::pair{Activation::kNone, "gated"},
                                         {Activation::kRelu, "gated relu"},
                                         {Activation::kGeluErf, "gated gelu erf"},
                                         {Activation::kGeluTanh, "gated gelu tanh"}}) {
    Distance distance(Name(GetParam(), name), 2.5e-7);
    for (const size_t columns : Lengths()) {
      const size_t rows = random.Between(1, 40);
      const auto gate = random.Normals(rows * 2 * columns, 2);
      std::vector<float> found(rows * columns), expected = found;
      ops_.gated(context_, gate.data(), rows, columns, activation, found.data());
      ReferenceOps().gated(oracle_, gate.data(), rows, columns, activation, expected.data());
      for (size_t i = 0; i < found.size(); ++i) {
        const float* row = &gate[i / columns * 2 * columns];
        const double scale = std::abs(row[i % columns] * row[columns + i % columns]);
        distance.Add(found[i], expected[i], scale);
      }
    }
  }
}

TEST_P(RowOps, MoversAreExact) {
  Random random(23);
  const size_t rows = 9, columns = 37;
  const auto table = random.Normals(rows * columns), row = random.Normals(columns);
  const std::vector<int32_t> ids = {8, 0, 3, 3};
  const std::vector<uint32_t> picks = {8, 0, 3, 3};
  std::vector<float> embedded(4 * columns), gathered(4 * columns), sum = table;
  ops_.embed(context_, F32Tensor(table, rows, columns), ids, embedded.data());
  ops_.gather_rows(context_, table.data(), picks, columns, gathered.data());
  ops_.add_row(context_, sum.data(), rows, columns, row.data(), sum.data());
  EXPECT_TRUE(SameBits(embedded, gathered));
  for (size_t i = 0; i < gathered.size(); ++i) {
    ASSERT_EQ(gathered[i], table[picks[i / columns] * columns + i % columns]);
  }
  for (size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], table[i] + row[i % columns]);
}

INSTANTIATE_TEST_SUITE_P(Isas, RowOps,
                         testing::ValuesIn(AvailableIsaList().begin(), AvailableIsaList().end()),
                         [](const auto& isa) { return std::string(IsaName(isa.param)); });

}  // namespace
}  // namespace dikast
