// The product of every table against the oracle, over all tails of its tiles and panels.
#include "tests/kernels/harness.h"

namespace dikast {
namespace {

struct Case {
  size_t rows, outputs, inputs;
  Activation activation = Activation::kNone;
  bool bias = false, residual = false;
};

// Distances count in units of sum |x w| + |bias| + |residual| of the element.
void Check(const Ops& ops, const Case& c, Random& random, Distance& distance) {
  const auto x = random.Normals(c.rows * c.inputs), w = random.Normals(c.outputs * c.inputs);
  const auto bias = random.Normals(c.outputs), residual = random.Normals(c.rows * c.outputs);
  const StoredTensor weight = F32Tensor(w, c.outputs, c.inputs);
  const float* b = c.bias ? bias.data() : nullptr;
  const float* add = c.residual ? residual.data() : nullptr;
  std::vector<float> found(c.rows * c.outputs, NAN), expected = found;
  const auto run = [&](const Ops& table, std::vector<float>& out) {
    Machine machine(table, 1, c.inputs, 1);
    table.linear(machine.context(), x.data(), c.rows, table.pack(weight), b, c.activation, add,
                 out.data());
  };
  run(ops, found);
  run(ReferenceOps(), expected);
  for (size_t r = 0; r < c.rows; ++r) {
    for (size_t o = 0; o < c.outputs; ++o) {
      double scale = (b ? std::abs(b[o]) : 0) + (add ? std::abs(add[r * c.outputs + o]) : 0);
      for (size_t k = 0; k < c.inputs; ++k) {
        scale += std::abs(x[r * c.inputs + k] * w[o * c.inputs + k]);
      }
      distance.Add(found[r * c.outputs + o], expected[r * c.outputs + o], scale);
    }
  }
}

class Linear : public testing::TestWithParam<Isa> {};

TEST_P(Linear, AllTails) {
  Random random(10);
  Distance distance(Name(GetParam(), "linear, small"), 1e-6);
  for (size_t rows = 1; rows <= 17; ++rows) {
    for (size_t outputs = 1; outputs <= 100; ++outputs) {
      Check(*FindOps(GetParam()), {rows, outputs, random.Between(1, 20)}, random, distance);
    }
  }
}

TEST_P(Linear, LongSumsAndManyRows) {
  Random random(11);
  Distance distance(Name(GetParam(), "linear, large"), 1e-6);
  for (const size_t inputs : {255, 256, 257, 511, 513, 1024, 2624}) {
    Check(*FindOps(GetParam()), {random.Between(1, 20), random.Between(1, 60), inputs}, random,
          distance);
  }
  for (const size_t rows : {127, 128, 129, 256, 300}) {
    Check(*FindOps(GetParam()), {rows, random.Between(1, 150), random.Between(1, 300)}, random,
          distance);
  }
}

TEST_P(Linear, Epilogue) {
  Random random(12);
  for (const auto& [activation, name] : {std::pair{Activation::kNone, "linear"},
                                         {Activation::kRelu, "linear relu"},
                                         {Activation::kGeluErf, "linear gelu erf"},
                                         {Activation::kGeluTanh, "linear gelu tanh"}}) {
    Distance distance(Name(GetParam(), name), 1e-6);
    for (const bool bias : {false, true}) {
      for (const bool residual : {false, true}) {
        for (size_t outputs = 1; outputs <= 100; outputs += random.Between(1, 9)) {
          Check(*FindOps(GetParam()),
                {random.Between(1, 20), outputs, random.Between(1, 70), activation, bias, residual},
                random, distance);
        }
      }
    }
  }
}

TEST_P(Linear, ResidualMayBeTheOutput) {
  Random random(13);
  const Ops& ops = *FindOps(GetParam());
  const size_t rows = 21, outputs = 65, inputs = 300;
  const auto x = random.Normals(rows * inputs), w = random.Normals(outputs * inputs);
  const auto residual = random.Normals(rows * outputs);
  std::vector<float> apart(rows * outputs), in_place = residual;
  Machine machine(ops, 1, inputs, 1);
  const PackedMatrix packed = ops.pack(F32Tensor(w, outputs, inputs));
  ops.linear(machine.context(), x.data(), rows, packed, nullptr, Activation::kRelu, residual.data(),
             apart.data());
  ops.linear(machine.context(), x.data(), rows, packed, nullptr, Activation::kRelu, in_place.data(),
             in_place.data());
  EXPECT_TRUE(SameBits(apart, in_place));
}

INSTANTIATE_TEST_SUITE_P(Isas, Linear,
                         testing::ValuesIn(AvailableIsaList().begin(), AvailableIsaList().end()),
                         [](const auto& isa) { return std::string(IsaName(isa.param)); });

}  // namespace
}  // namespace dikast
