// Each GELU over a dense sweep against std::erf and std::tanh in double.
#include "tests/kernels/harness.h"

namespace dikast {
namespace {

// A million values over [-30, 30], and values of every binary exponent, of both signs.
std::vector<float> Sweep() {
  std::vector<float> values;
  for (int i = -500'000; i <= 500'000; ++i) values.push_back(static_cast<float>(i * 6e-5));
  for (int exponent = -149; exponent < 120; ++exponent) {
    for (const double mantissa : {1.0, 1.3, 1.7}) {
      const auto value = static_cast<float>(std::ldexp(mantissa, exponent));
      values.insert(values.end(), {value, -value});
    }
  }
  return values;
}

double ExactGelu(Activation activation, double x) {
  if (activation == Activation::kGeluErf) return x * std::erfc(-x * std::sqrt(0.5)) / 2;
  const double y = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * y));
}

class Gelu : public testing::TestWithParam<Activation> {};

TEST_P(Gelu, StaysWithinItsStatedError) {
  const std::vector<float> u = Sweep();
  std::vector<float> gate = u, out(u.size());
  gate.resize(2 * u.size(), 1.0f);
  for (const Isa isa : AvailableIsaList()) {
    const Ops& ops = *FindOps(isa);
    Machine machine(ops, 1, 1, 1);
    ops.gated(machine.context(), gate.data(), 1, u.size(), GetParam(), out.data());
    Distance absolute(Name(isa, "gelu, absolute"), 1e-7);
    Distance relative(Name(isa, "gelu, relative to |x|"), 1.3e-7);
    for (size_t i = 0; i < u.size(); ++i) {
      const double expected = ExactGelu(GetParam(), u[i]);
      // A float32 near 1 is itself 6e-8 wide: the absolute error is that of the small values.
      if (u[i] < 1) absolute.Add(out[i], expected, 1);
      if (std::abs(u[i]) > 1e-30f) relative.Add(out[i], expected, std::abs(u[i]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Gelu, testing::Values(Activation::kGeluErf, Activation::kGeluTanh),
                         [](const auto& form) {
                           return form.param == Activation::kGeluErf ? "Erf" : "Tanh";
                         });

TEST(Relu, IsExact) {
  const float gate[] = {-2, -0.5f, 0, 0.25f, 3, 1, 1, 1, -2, 2};
  for (const Isa isa : AvailableIsaList()) {
    Machine machine(*FindOps(isa), 1, 1, 1);
    float out[5];
    FindOps(isa)->gated(machine.context(), gate, 1, 5, Activation::kRelu, out);
    EXPECT_TRUE(out[0] == 0 && out[1] == 0 && out[2] == 0);
    EXPECT_EQ(out[3], -0.5f);
    EXPECT_EQ(out[4], 6);
  }
}

}  // namespace
}  // namespace dikast
