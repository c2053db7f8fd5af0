#include "runtime/batch_plan.h"

#include <algorithm>

namespace dikast {
namespace {

// [CLS] head [SEP] [MASK] option [SEP] [SEP] has at least this many tokens.
constexpr uint32_t kShortestSequence = 6;

// Measured requests have 20 to 30 tokens a marker; denser ones fill a batch before the tokens do.
constexpr uint32_t kTokensPerMarker = 4;

}  // namespace

BatchLimits LimitsFor(uint32_t batch_tokens, uint32_t max_len) {
  const uint32_t tokens = std::max(batch_tokens, max_len);
  return {.tokens = tokens,
          .sequences = std::max(tokens / kShortestSequence, 1u),
          .markers = std::max(tokens / kTokensPerMarker, max_len),
          .sequence_tokens = max_len};
}

SequenceSize SizeOf(const TokenPlan& sequence) {
  return {static_cast<uint32_t>(sequence.ids.size()),
          static_cast<uint32_t>(sequence.markers.size())};
}

bool BatchRoom::Take(const SequenceSize& size) {
  const bool fits = tokens_ + size.tokens <= limits_.tokens &&
                    markers_ + size.markers <= limits_.markers && sequences_ < limits_.sequences;
  if (!fits && sequences_ > 0) return false;
  tokens_ += size.tokens;
  markers_ += size.markers;
  ++sequences_;
  return true;
}

std::vector<BatchRange> PlanBatches(std::span<const SequenceSize> sequences,
                                    const BatchLimits& limits) {
  std::vector<BatchRange> batches;
  BatchRoom room(limits);
  for (size_t i = 0; i < sequences.size(); ++i) {
    if (batches.empty() || !room.Take(sequences[i])) {
      room = BatchRoom(limits);
      room.Take(sequences[i]);
      batches.push_back({i, i});
    }
    batches.back().end = i + 1;
  }
  return batches;
}

}  // namespace dikast
