#include "runtime/batch_cut.h"

#include <algorithm>
#include <cstdint>

namespace dikast {

Waiting::Time TurnOf(Waiting::Time arrival, uint64_t tokens, double tokens_per_second) {
  const std::chrono::duration<double> alone(static_cast<double>(tokens) / tokens_per_second);
  return arrival + std::chrono::duration_cast<Waiting::Time::duration>(alone);
}

BatchCut CutBatch(std::span<const Waiting> queue, Waiting::Time now, const BatchLimits& limits) {
  BatchCut cut;
  std::vector<size_t> order;
  for (size_t w = 0; w < queue.size(); ++w) {
    (queue[w].deadline <= now ? cut.expired : order).push_back(w);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return queue[a].turn < queue[b].turn; });
  BatchRoom room(limits);
  for (const size_t w : order) {
    const std::span<const SequenceSize> sequences = queue[w].sequences;
    size_t taken = 0;
    while (taken < sequences.size() && room.Take(sequences[taken])) ++taken;
    if (taken > 0) cut.slices.push_back({w, taken});
    if (taken < sequences.size()) break;
  }
  return cut;
}

}  // namespace dikast
