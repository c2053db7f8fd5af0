// Compiled with the flags of its ISA; see CMakeLists.txt.
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/panel.h"
#include "kernels/cpu/simd/rows.h"

namespace dikast {

const CpuKernels kAvx512Kernels = {.isa = Isa::kAvx512,
                                   .panel = kPanel,
                                   .multiply_panel = MultiplyColumns<>,
                                   .finish_row = FinishRow,
                                   .layer_norm_row = LayerNormRow,
                                   .rotate_row = RotateRow,
                                   .softmax_row = SoftmaxRow,
                                   .scale_row = ScaleRow,
                                   .gated_row = GatedRow};

}  // namespace dikast
