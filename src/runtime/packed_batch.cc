#include "runtime/packed_batch.h"

namespace dikast {

PackedBatch::PackedBatch(const BatchLimits& limits) {
  ids_.reserve(limits.tokens);
  markers_.reserve(limits.markers);
  offsets_.reserve(limits.sequences + 1);
  marker_offsets_.reserve(limits.sequences + 1);
  types_.reserve(limits.sequences);
  Clear();
}

void PackedBatch::Clear() {
  ids_.clear();
  markers_.clear();
  types_.clear();
  offsets_.assign(1, 0);
  marker_offsets_.assign(1, 0);
}

void PackedBatch::Append(const TokenPlan& sequence, QuestionType type) {
  const uint32_t first = offsets_.back();
  ids_.insert(ids_.end(), sequence.ids.begin(), sequence.ids.end());
  for (const uint32_t marker : sequence.markers) markers_.push_back(first + marker);
  offsets_.push_back(static_cast<uint32_t>(ids_.size()));
  marker_offsets_.push_back(static_cast<uint32_t>(markers_.size()));
  types_.push_back(static_cast<uint8_t>(type));
}

SequenceBatch PackedBatch::View() const {
  return {.ids = ids_,
          .offsets = offsets_,
          .markers = markers_,
          .marker_offsets = marker_offsets_,
          .types = types_};
}

}  // namespace dikast
