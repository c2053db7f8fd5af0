// Which waiting sequences go into the next forward pass: a pure function of queue, clock, limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "runtime/batch_plan.h"

namespace dikast {

// One submission as the cut sees it.
struct Waiting {
  using Time = std::chrono::steady_clock::time_point;
  Time turn;                                // lower goes first (TurnOf)
  Time deadline;                            // at or after it nothing more is forwarded
  std::span<const SequenceSize> sequences;  // not yet forwarded
};

// The first `sequences` of submission `waiting` go into the batch.
struct Slice {
  size_t waiting = 0, sequences = 0;
  bool operator==(const Slice&) const = default;
};

struct BatchCut {
  std::vector<Slice> slices;    // by turn; empty only when nothing live waits
  std::vector<size_t> expired;  // submissions past their deadline
};

// When a submission that arrived at `arrival` would be done if it were alone: short ones pass long
// ones, and nothing starves, because a turn never moves.
Waiting::Time TurnOf(Waiting::Time arrival, uint64_t tokens, double tokens_per_second);

// Fills one batch by turn, as far as the limits allow; the first sequence that does not fit ends
// it. Never waits for more: an idle model takes what is there.
BatchCut CutBatch(std::span<const Waiting> queue, Waiting::Time now, const BatchLimits& limits);

}  // namespace dikast
