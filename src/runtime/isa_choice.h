// Which kernels and how many threads: options and environment against what the machine has.
#pragma once

#include <string>

#include "dikast/status.h"
#include "models/decision_model.h"  // Ops and Isa: runtime sees kernels through models only

namespace dikast {

// The table of `isa` if it is not empty, else of $DIKAST_ISA, else the best one. Errors: kUsage
// with the names that this machine has.
Result<const Ops*> ChooseIsa(const std::string& isa);

// `threads` if positive, else one a usable core.
int ChooseThreads(int threads);

}  // namespace dikast
