// The formulas of laya-format.md, sections 1.2, 3 and 4, in double precision, one sequence at a
// time and one number at a time: what the packed passes are measured against.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/models/random_checkpoint.h"

namespace dikast::testing {

using Rows = std::vector<std::vector<double>>;

struct DoubleOutput {
  std::vector<Rows> states;  // as StateObserver sees them
  std::vector<double> logits, actions;
};

DoubleOutput RunInDouble(const RandomCheckpoint& checkpoint, const std::vector<int32_t>& ids,
                         const std::vector<uint32_t>& markers, uint8_t type);

}  // namespace dikast::testing
