// What an Engine holds: shared by the engine and the scheduler.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "dikast/engine.h"
#include "models/decision_model.h"
#include "runtime/packed_batch.h"
#include "runtime/work.h"

namespace dikast {

struct Engine::Impl {
  Impl(Planner planner_in, Weights weights_in, const BatchLimits& limits_in, int threads);

  // Makes the plans of every request. Thread-safe.
  Work Plan(std::span<const Request> requests, const DecideOptions& options) const;
  // One forward pass over jobs that are within the limits. One call at a time.
  void Forward(std::span<const Job> jobs);

  Planner planner;
  Weights weights;
  BatchLimits limits;
  ThreadPool pool;
  std::optional<DecisionModel> model;
  Temperatures temperatures;
  PackedBatch batch;
  std::vector<float> logits, actions;  // of one forward pass
  size_t actions_per_job;
  std::mutex mutex;  // of DecideMany: one forward at a time
};

}  // namespace dikast
