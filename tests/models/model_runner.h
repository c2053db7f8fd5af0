// A model with everything it borrows, and batches put together by hand.
#pragma once

#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "checkpoint/weights.h"
#include "gtest/gtest.h"
#include "models/decision_model.h"

namespace dikast::testing {

struct Sequence {
  std::vector<int32_t> ids;
  std::vector<uint32_t> markers;  // positions in ids
  uint8_t type = 0;
};

struct Output {
  std::vector<float> logits, actions;
};

inline bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}
inline bool SameBits(const Output& a, const Output& b) {
  return SameBits(a.logits, b.logits) && SameBits(a.actions, b.actions);
}

// Sequences packed one after the other.
struct PackedBatch {
  std::vector<int32_t> ids;
  std::vector<uint32_t> offsets = {0}, markers, marker_offsets = {0};
  std::vector<uint8_t> types;

  explicit PackedBatch(const std::vector<Sequence>& sequences) {
    for (const Sequence& sequence : sequences) {
      for (const uint32_t marker : sequence.markers) markers.push_back(offsets.back() + marker);
      ids.insert(ids.end(), sequence.ids.begin(), sequence.ids.end());
      offsets.push_back(static_cast<uint32_t>(ids.size()));
      marker_offsets.push_back(static_cast<uint32_t>(markers.size()));
      types.push_back(sequence.type);
    }
  }
  SequenceBatch view() const { return {ids, offsets, markers, marker_offsets, types}; }
};

class ModelRunner {
 public:
  ModelRunner(const CheckpointConfig& config, const std::filesystem::path& file, Isa isa,
              int threads, const BatchLimits& limits)
      : actions_(config.laya.actions),
        pool_(std::make_unique<ThreadPool>(threads)),
        weights_(std::make_unique<Weights>(Weights::Open(file, config).value())),
        model_(DecisionModel::Create(config, *weights_, *FindOps(isa), *pool_, limits).value()) {}

  std::vector<Output> Run(const std::vector<Sequence>& sequences) {
    const PackedBatch batch(sequences);
    std::vector<float> logits(batch.markers.size()), actions(sequences.size() * actions_);
    model_.Forward(batch.view(), logits, actions);
    std::vector<Output> outputs;
    for (size_t s = 0; s < sequences.size(); ++s) {
      outputs.push_back(
          {{logits.begin() + batch.marker_offsets[s], logits.begin() + batch.marker_offsets[s + 1]},
           {actions.begin() + static_cast<ptrdiff_t>(s * actions_),
            actions.begin() + static_cast<ptrdiff_t>((s + 1) * actions_)}});
    }
    return outputs;
  }

  DecisionModel& model() { return model_; }

 private:
  size_t actions_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Weights> weights_;
  DecisionModel model_;
};

}  // namespace dikast::testing
