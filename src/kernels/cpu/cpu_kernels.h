// What one ISA contributes: loops over plain pointers, compiled with that ISA's flags. Spans,
// threads and shapes stay in the drivers, which are compiled once for every x86-64 or Arm machine:
// a per-ISA object file then has no weak symbol that the linker could hand to a machine without the
// ISA.
#pragma once

#include <cstddef>

#include "kernels/ops.h"

namespace dikast {

struct CpuKernels {
  Isa isa;

  // A packed panel holds this many outputs: element (input k, output o) at panel[k * panel + o].
  size_t panel;

  // out[r, o] = sum_k a[r, k] panel[k, o] for o < columns <= panel; may write up to `panel`
  // columns. One order of summation for every element: fused chains of 256 inputs, added in turn.
  void (*multiply_panel)(const float* a, size_t a_stride, size_t rows, const float* panel,
                         size_t depth, size_t columns, float* out, size_t out_stride);

  // out = activation(sums + bias) + residual for one row; bias and residual may be null.
  void (*finish_row)(const float* sums, size_t columns, const float* bias, Activation activation,
                     const float* residual, float* out);

  void (*layer_norm_row)(const float* x, size_t columns, const float* weight, const float* bias,
                         float eps, float* out);

  // Pairs (i, i + half) of each head.
  void (*rotate_row)(float* x, size_t heads, size_t half, const float* cosine, const float* sine);

  // scores = exp(scale * scores - max); returns the sum.
  float (*softmax_row)(float* scores, size_t count, float scale);

  // out = x * factor
  void (*scale_row)(const float* x, size_t columns, float factor, float* out);

  // out = activation(u) * g
  void (*gated_row)(const float* u, const float* g, size_t columns, Activation activation,
                    float* out);
};

extern const CpuKernels kAvx2Kernels, kAvx512Kernels;

}  // namespace dikast
