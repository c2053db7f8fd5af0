// An encoder with a decision head: token ids in, option logits out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/thread_pool.h"
#include "checkpoint/config.h"
#include "checkpoint/weights.h"
#include "kernels/ops.h"

namespace dikast {

// Packed sequences. Sequence s has the ids [offsets[s], offsets[s + 1]) and the markers
// [marker_offsets[s], marker_offsets[s + 1]); a marker is a row of the packed batch.
struct SequenceBatch {
  std::span<const int32_t> ids;
  std::span<const uint32_t> offsets;  // sequences + 1, from 0
  std::span<const uint32_t> markers;
  std::span<const uint32_t> marker_offsets;  // sequences + 1, from 0
  std::span<const uint8_t> types;            // QuestionType, one a sequence
};

struct BatchLimits {
  uint32_t tokens = 0;  // rows of one forward
  uint32_t sequences = 0;
  uint32_t markers = 0;
  uint32_t sequence_tokens = 0;  // the longest sequence
};

// Sees the residual stream after the embedding (layer 0) and after each layer (1..n), then the
// final norm (n + 1): rows as packed. For tests that compare with another implementation.
using StateObserver = std::function<void(uint32_t layer, std::span<const float> rows)>;

class DecisionModel {
 public:
  // Expands and packs the weights for `ops` and sizes all buffers for `limits`. `weights` must
  // outlive the model: the embedding table stays in the file. Errors: kModel.
  static Result<DecisionModel> Create(const CheckpointConfig& config, const Weights& weights,
                                      const Ops& ops, ThreadPool& pool, const BatchLimits& limits);

  DecisionModel(DecisionModel&&) noexcept;
  DecisionModel& operator=(DecisionModel&&) noexcept;
  ~DecisionModel();

  // logits: one a marker; actions: `actions` a sequence. Within the limits (CHECKed) and with ids
  // inside the vocabulary. Allocates nothing; one call at a time.
  void Forward(const SequenceBatch& batch, std::span<float> logits, std::span<float> actions);

  void set_observer(StateObserver observer);

 private:
  struct Impl;
  explicit DecisionModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dikast
