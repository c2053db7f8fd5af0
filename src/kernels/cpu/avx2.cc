// Compiled with the flags of its ISA; see CMakeLists.txt.
#include "kernels/cpu/simd/table.h"

namespace dikast {

const CpuKernels kAvx2Kernels = MakeKernels(Isa::kAvx2);

}  // namespace dikast
