// What a Planner holds: shared by the planner, the engine and the inspection of a model.
#pragma once

#include "checkpoint/config.h"
#include "decision/planner.h"
#include "dikast/engine.h"
#include "dikast/tokenizer.h"

namespace dikast {

struct Planner::Impl {
  CheckpointConfig config;
  Tokenizer tokenizer;
  SequenceRules rules;
  ModelInfo info;
};

// Everything about a model that its configuration and `options` decide, limits checked.
Result<ModelInfo> DescribeModel(const CheckpointConfig& config, const EngineOptions& options);

}  // namespace dikast
