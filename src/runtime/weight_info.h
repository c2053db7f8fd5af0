// The part of ModelInfo that the weights decide.
#pragma once

#include "checkpoint/weights.h"
#include "dikast/engine.h"

namespace dikast {

void DescribeWeights(const Weights& weights, ModelInfo& info);

}  // namespace dikast
