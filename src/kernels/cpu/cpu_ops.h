// The op tables of the x86-64 ISAs. Call their functions only on a machine that has the ISA.
#pragma once

#include "kernels/ops.h"

namespace dikast {

const Ops& Avx2Ops();
const Ops& Avx512Ops();

}  // namespace dikast
