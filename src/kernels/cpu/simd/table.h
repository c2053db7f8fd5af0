// The kernels of the ISA that the including file is compiled for, as its table.
#pragma once

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/panel.h"
#include "kernels/cpu/simd/rows.h"

namespace dikast {
namespace {

constexpr CpuKernels MakeKernels(Isa isa) {
  return {.isa = isa,
          .panel = kPanel,
          .multiply_panel = MultiplyColumns<>,
          .finish_row = FinishRow,
          .layer_norm_row = LayerNormRow,
          .rotate_row = RotateRow,
          .softmax_row = SoftmaxRow,
          .scale_row = ScaleRow,
          .gated_row = GatedRow};
}

}  // namespace
}  // namespace dikast
