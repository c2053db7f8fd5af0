// Which sequences go into one forward pass. A pure function: the same for every device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dikast/decision.h"
#include "models/decision_model.h"

namespace dikast {

struct SequenceSize {
  uint32_t tokens = 0, markers = 0;
};
SequenceSize SizeOf(const TokenPlan& sequence);

// The sequences [begin, end) of the list that was planned.
struct BatchRange {
  size_t begin = 0, end = 0;
  bool operator==(const BatchRange&) const = default;
};

// Limits for forward passes of about `batch_tokens` tokens over sequences of up to `max_len`: room
// for the longest sequence whatever its markers, and for a batch of the shortest ones.
BatchLimits LimitsFor(uint32_t batch_tokens, uint32_t max_len);

// A batch as it fills.
class BatchRoom {
 public:
  explicit BatchRoom(const BatchLimits& limits) : limits_(limits) {}

  // Whether the sequence goes into this batch. The first one always does: a sequence is never
  // split, so that one that exceeds a limit on its own gets a batch of its own.
  bool Take(const SequenceSize& size);

 private:
  BatchLimits limits_;
  uint64_t tokens_ = 0, markers_ = 0, sequences_ = 0;
};

// Fills each batch, in order, as far as the limits allow.
std::vector<BatchRange> PlanBatches(std::span<const SequenceSize> sequences,
                                    const BatchLimits& limits);

}  // namespace dikast
