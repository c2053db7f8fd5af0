// The same row gives the same bits alone, in any batch, in any order, with any number of threads.
// (Attention: attention_test.cc, SequencesDoNotSeeEachOther.)
#include <functional>
#include <numeric>

#include "tests/kernels/harness.h"

namespace dikast {
namespace {

using RowsIn = std::span<const float>;
using RowOp = std::function<std::vector<float>(const OpContext&, RowsIn x, size_t rows)>;

class Invariance : public testing::TestWithParam<Isa> {
 protected:
  // x holds `rows` rows of `columns`; `op` maps rows to rows of any width.
  void Check(const RowOp& op, const std::vector<float>& x, size_t rows, size_t columns) {
    const auto run = [&](RowsIn input, int threads) {
      Machine machine(*FindOps(GetParam()), 1, columns, 1, threads);
      return op(machine.context(), input, input.size() / columns);
    };
    const auto together = run(x, 1);
    const size_t width = together.size() / rows;
    const auto row_of = [&](const std::vector<float>& all, size_t r) {
      return RowsIn(all).subspan(r * width, width);
    };
    for (const int threads : {2, 3}) EXPECT_TRUE(SameBits(run(x, threads), together));
    for (size_t r = 0; r < rows; ++r) {
      EXPECT_TRUE(SameBits(run(RowsIn(x).subspan(r * columns, columns), 1), row_of(together, r)));
    }
    std::vector<size_t> order(rows);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(Seed()));
    std::vector<float> shuffled(x.size());
    for (size_t r = 0; r < rows; ++r) {
      std::copy_n(&x[order[r] * columns], columns, &shuffled[r * columns]);
    }
    const auto out = run(shuffled, 2);
    for (size_t r = 0; r < rows; ++r) {
      EXPECT_TRUE(SameBits(row_of(out, r), row_of(together, order[r]))) << r;
    }
  }
};

TEST_P(Invariance, Linear) {
  Random random(40);
  const Ops& ops = *FindOps(GetParam());
  for (const size_t rows : {2, 7, 17, 150}) {
    const size_t inputs = random.Between(1, 700), outputs = random.Between(1, 120);
    const auto w = random.Normals(outputs * inputs), bias = random.Normals(outputs);
    const PackedMatrix packed = ops.pack(F32Tensor(w, outputs, inputs));
    Check(
        [&](const OpContext& context, RowsIn x, size_t n) {
          std::vector<float> out(n * outputs);
          ops.linear(context, x.data(), n, packed, bias.data(), Activation::kGeluErf, nullptr,
                     out.data());
          return out;
        },
        random.Normals(rows * inputs), rows, inputs);
  }
}

TEST_P(Invariance, LayerNorm) {
  Random random(41);
  const size_t columns = random.Between(1, 700);
  const auto weight = random.Normals(columns);
  Check(
      [&](const OpContext& context, RowsIn x, size_t n) {
        std::vector<float> out(x.size());
        FindOps(GetParam())
            ->layer_norm(context, x.data(), n, columns, weight.data(), nullptr, 1e-5f, out.data());
        return out;
      },
      random.Normals(50 * columns), 50, columns);
}

TEST_P(Invariance, Gated) {
  Random random(42);
  const size_t columns = random.Between(1, 300);
  Check(
      [&](const OpContext& context, RowsIn x, size_t n) {
        std::vector<float> out(n * columns);
        FindOps(GetParam())->gated(context, x.data(), n, columns, Activation::kGeluErf, out.data());
        return out;
      },
      random.Normals(50 * 2 * columns), 50, 2 * columns);
}

INSTANTIATE_TEST_SUITE_P(Isas, Invariance,
                         testing::ValuesIn(AvailableIsaList().begin(), AvailableIsaList().end()),
                         [](const auto& isa) { return std::string(IsaName(isa.param)); });

}  // namespace
}  // namespace dikast
