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

std::vector<BatchRange> PlanBatches(std::span<const SequenceSize> sequences,
                                    const BatchLimits& limits) {
  std::vector<BatchRange> batches;
  uint64_t tokens = 0, markers = 0;
  for (size_t i = 0; i < sequences.size(); ++i) {
    tokens += sequences[i].tokens;
    markers += sequences[i].markers;
    const bool fits = !batches.empty() && tokens <= limits.tokens && markers <= limits.markers &&
                      i - batches.back().begin < limits.sequences;
    if (!fits) {
      batches.push_back({i, i});
      tokens = sequences[i].tokens;
      markers = sequences[i].markers;
    }
    batches.back().end = i + 1;
  }
  return batches;
}

}  // namespace dikast
