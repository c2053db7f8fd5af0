// The kernels that work on one row.
#pragma once

#include "kernels/cpu/simd/activations.h"
#include "kernels/cpu/simd/lanes.h"

namespace dikast {
namespace {

HWY_INLINE float Sum(Vector v) { return hn::GetLane(hn::SumOfLanes(kTag, v)); }

void LayerNormRow(const float* x, size_t columns, const float* weight, const float* bias, float eps,
                  float* out) {
  const float count = static_cast<float>(columns);
  Vector sum = hn::Zero(kTag), squares = hn::Zero(kTag);
  ForEachVector(columns, [&](size_t i, auto at) { sum = hn::Add(sum, at.Load(x + i)); });
  const Vector mean = hn::Set(kTag, Sum(sum) / count);
  ForEachVector(columns, [&](size_t i, auto at) {
    const Vector centred = at.Only(hn::Sub(at.Load(x + i), mean));
    squares = hn::MulAdd(centred, centred, squares);
  });
  const float variance = Sum(squares) / count;
  const Vector deviation = hn::Sqrt(hn::Set(kTag, variance + eps));
  const Vector inverse = hn::Div(hn::Set(kTag, 1.0f), deviation);
  ForEachVector(columns, [&](size_t i, auto at) {
    const Vector normal = hn::Mul(hn::Sub(at.Load(x + i), mean), inverse);
    const Vector shift = bias ? at.Load(bias + i) : hn::Zero(kTag);
    at.Store(hn::MulAdd(normal, at.Load(weight + i), shift), out + i);
  });
}

void RotateRow(float* x, size_t heads, size_t half, const float* cosine, const float* sine) {
  for (size_t h = 0; h < heads; ++h, x += 2 * half) {
    ForEachVector(half, [&](size_t i, auto at) {
      const Vector first = at.Load(x + i), second = at.Load(x + half + i);
      const Vector c = at.Load(cosine + i), s = at.Load(sine + i);
      at.Store(hn::MulSub(first, c, hn::Mul(second, s)), x + i);
      at.Store(hn::MulAdd(second, c, hn::Mul(first, s)), x + half + i);
    });
  }
}

float SoftmaxRow(float* scores, size_t count, float scale) {
  const Vector factor = hn::Set(kTag, scale), lowest = hn::Set(kTag, -__builtin_inff());
  Vector largest = lowest, sum = hn::Zero(kTag);
  ForEachVector(count, [&](size_t i, auto at) {
    const Vector score = hn::Mul(at.Load(scores + i), factor);
    at.Store(score, scores + i);
    largest = hn::Max(largest, at.LoadOr(lowest, scores + i));
  });
  largest = hn::MaxOfLanes(kTag, largest);
  ForEachVector(count, [&](size_t i, auto at) {
    const Vector weight = at.Only(hn::Exp(kTag, hn::Sub(at.Load(scores + i), largest)));
    at.Store(weight, scores + i);
    sum = hn::Add(sum, weight);
  });
  return Sum(sum);
}

void ScaleRow(const float* x, size_t columns, float factor, float* out) {
  const Vector f = hn::Set(kTag, factor);
  ForEachVector(columns, [&](size_t i, auto at) { at.Store(hn::Mul(at.Load(x + i), f), out + i); });
}

// Calls row.template Run<activation>().
template <class Row>
HWY_INLINE void WithActivation(Activation activation, const Row& row) {
  switch (activation) {
    case Activation::kNone:
      return row.template Run<Activation::kNone>();
    case Activation::kRelu:
      return row.template Run<Activation::kRelu>();
    case Activation::kGeluErf:
      return row.template Run<Activation::kGeluErf>();
    case Activation::kGeluTanh:
      return row.template Run<Activation::kGeluTanh>();
  }
}

struct Finish {
  const float* sums;
  size_t columns;
  const float *bias, *residual;
  float* out;

  template <Activation kActivation>
  void Run() const {
    ForEachVector(columns, [&](size_t i, auto at) {
      Vector y = at.Load(sums + i);
      if (bias) y = hn::Add(y, at.Load(bias + i));
      y = Activate<kActivation>(y);
      if (residual) y = hn::Add(y, at.Load(residual + i));
      at.Store(y, out + i);
    });
  }
};

void FinishRow(const float* sums, size_t columns, const float* bias, Activation activation,
               const float* residual, float* out) {
  WithActivation(activation, Finish{sums, columns, bias, residual, out});
}

struct Gate {
  const float *u, *g;
  size_t columns;
  float* out;

  template <Activation kActivation>
  void Run() const {
    ForEachVector(columns, [&](size_t i, auto at) {
      at.Store(hn::Mul(Activate<kActivation>(at.Load(u + i)), at.Load(g + i)), out + i);
    });
  }
};

void GatedRow(const float* u, const float* g, size_t columns, Activation activation, float* out) {
  WithActivation(activation, Gate{u, g, columns, out});
}

}  // namespace
}  // namespace dikast
