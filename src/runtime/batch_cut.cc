#include "runtime/batch_cut.h"

#include <algorithm>
#include <cstdint>

namespace dikast {
namespace {

// What is left of a batch.
class Room {
 public:
  explicit Room(const BatchLimits& limits) : limits_(limits) {}

  // A sequence that exceeds a limit on its own gets a batch of its own.
  bool Take(const SequenceSize& size) {
    const bool fits = tokens_ + size.tokens <= limits_.tokens &&
                      markers_ + size.markers <= limits_.markers && sequences_ < limits_.sequences;
    if (!fits && sequences_ > 0) return false;
    tokens_ += size.tokens;
    markers_ += size.markers;
    ++sequences_;
    return true;
  }

 private:
  BatchLimits limits_;
  uint64_t tokens_ = 0, markers_ = 0, sequences_ = 0;
};

}  // namespace

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
  Room room(limits);
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
