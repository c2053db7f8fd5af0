// Compiled with the flags of its ISA; see CMakeLists.txt.
#include "kernels/cpu/simd/table.h"

namespace dikast {

const CpuKernels kAvx512Kernels = MakeKernels(Isa::kAvx512);

}  // namespace dikast
