// GELU in both forms as x Q(|x|) or x - x Q(|x|), Q the small tail: no cancellation for negative x.
#pragma once

#include "kernels/cpu/simd/lanes.h"
#include "kernels/ops.h"

namespace dikast {
namespace {

// Q(a) = erfc(a / sqrt 2) / 2, the normal tail, for a >= 0. Q(a) = exp(-a^2 / 2 + h(a)) with h
// smooth: a degree 9 fit on [0, 5.5], weighted by a Q(a). Largest absolute error of x Q(|x|): 7e-8
// against std::erf in double; past 5.5, where Q < 2e-8, h stays at its last value.
HWY_INLINE Vector NormalTail(Vector a) {
  constexpr float kH[] = {-0.6931471824645996f,     -0.7978857755661011f,
                          0.18170294165611267f,     -0.03638558089733124f,
                          0.004877171944826841f,    -6.129209941718727e-05f,
                          -0.00015669036656618118f, 3.9012425986584276e-05f,
                          -4.439665644895285e-06f,  2.0529842004179955e-07f};
  const Vector t = hn::Min(a, hn::Set(kTag, 5.5f));
  Vector h = hn::Set(kTag, kH[9]);
#pragma GCC unroll 9
  for (int i = 8; i >= 0; --i) h = hn::MulAdd(h, t, hn::Set(kTag, kH[i]));
  return hn::Exp(kTag, hn::NegMulAdd(hn::Mul(a, hn::Set(kTag, 0.5f)), a, h));
}

// (1 - tanh y) / 2 = e / (1 + e) with e = exp(-2y), y = sqrt(2 / pi) (a + 0.044715 a^3).
HWY_INLINE Vector TanhTail(Vector a) {
  constexpr float kMinus2Sqrt2OverPi = -1.5957691216057308f;
  const Vector cubic = hn::MulAdd(hn::Mul(hn::Mul(a, a), a), hn::Set(kTag, 0.044715f), a);
  const Vector e = hn::Exp(kTag, hn::Mul(cubic, hn::Set(kTag, kMinus2Sqrt2OverPi)));
  return hn::Div(e, hn::Add(hn::Set(kTag, 1.0f), e));
}

HWY_INLINE Vector FromTail(Vector x, Vector tail) {
  const Vector part = hn::Mul(x, tail);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(kTag)), part, hn::Sub(x, part));
}

template <Activation kActivation>
HWY_INLINE Vector Activate(Vector x) {
  if constexpr (kActivation == Activation::kRelu) return hn::Max(x, hn::Zero(kTag));
  if constexpr (kActivation == Activation::kGeluErf) return FromTail(x, NormalTail(hn::Abs(x)));
  if constexpr (kActivation == Activation::kGeluTanh) return FromTail(x, TanhTail(hn::Abs(x)));
  return x;
}

}  // namespace
}  // namespace dikast
