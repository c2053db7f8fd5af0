#include "models/decision_model.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <variant>

#include "base/check.h"
#include "models/bert.h"
#include "models/decision_head.h"
#include "models/modernbert.h"
#include "models/pass.h"

namespace dikast {
namespace {

using Encoder = std::variant<Bert, ModernBert>;

Encoder LoadEncoder(const EncoderConfig& config, const Weights& weights, const Ops& ops,
                    ThreadPool& pool, const BatchLimits& limits) {
  if (const auto* bert = std::get_if<BertConfig>(&config)) {
    return LoadBert(*bert, weights, ops, pool);
  }
  return LoadModernBert(std::get<ModernBertConfig>(config), weights, ops, pool,
                        limits.sequence_tokens);
}

// The widest rows that a pass of this model writes and reads.
struct Widths {
  size_t width, wide, mixed, inputs, head_dim;
};

Widths WidthsOf(const EncoderConfig& config, const DecisionHead& head) {
  const auto [width, intermediate, heads] = std::visit(
      [](const auto& encoder) {
        return std::array<size_t, 3>{encoder.width, encoder.intermediate, encoder.heads};
      },
      config);
  const bool gated = std::holds_alternative<ModernBertConfig>(config);
  const size_t feed_forward = head.layers.empty() ? 0 : 4 * width;
  return {.width = width,
          .wide = std::max(
              {3 * width, (gated ? 2 : 1) * intermediate, feed_forward, width + kStatistics}),
          .mixed = std::max({width, gated ? intermediate : 0, head.action_input.weight.outputs}),
          .inputs = std::max(
              {intermediate, feed_forward, width + kStatistics, head.action_output.weight.inputs}),
          .head_dim = std::max(width / heads, width / head.attention.heads)};
}

Buffers MakeBuffers(const Widths& widths, const BatchLimits& limits, size_t scratch) {
  // The rows selected for the scorer may outnumber the tokens when markers repeat.
  const size_t selected = size_t{limits.sequences} + limits.markers;
  const size_t rows = std::max<size_t>(limits.tokens, selected);
  return {.hidden = AlignedBuffer<float>(rows * widths.width),
          .normed = AlignedBuffer<float>(rows * widths.width),
          .wide = AlignedBuffer<float>(rows * widths.wide),
          .mixed = AlignedBuffer<float>(rows * widths.mixed),
          .positions = AlignedBuffer<uint32_t>(limits.tokens),
          .selected = AlignedBuffer<uint32_t>(selected),
          .scratch = AlignedBuffer<float>(scratch)};
}

}  // namespace

struct DecisionModel::Impl {
  Impl(const CheckpointConfig& config, const Weights& weights, const Ops& table,
       ThreadPool& threads, const BatchLimits& batch_limits)
      : ops(table),
        pool(threads),
        limits(batch_limits),
        actions(config.laya.actions),
        encoder(LoadEncoder(config.encoder, weights, ops, pool, limits)),
        head(LoadDecisionHead(config, weights, ops, pool)) {
    const Widths widths = WidthsOf(config.encoder, head);
    scratch_floats = ops.scratch_floats(limits.sequence_tokens, widths.inputs, widths.head_dim);
    buffers = MakeBuffers(widths, limits, scratch_floats * pool.threads());
  }

  void CheckBatch(const SequenceBatch& batch, size_t logits, size_t action_logits) const {
    const size_t sequences = batch.types.size();
    DIKAST_CHECK(batch.ids.size() <= limits.tokens && sequences <= limits.sequences);
    DIKAST_CHECK(batch.markers.size() <= limits.markers && batch.markers.size() == logits);
    DIKAST_CHECK(batch.offsets.size() == sequences + 1 && batch.offsets.back() == batch.ids.size());
    DIKAST_CHECK(batch.marker_offsets.size() == sequences + 1 &&
                 batch.marker_offsets.back() == batch.markers.size());
    DIKAST_CHECK(action_logits == sequences * actions);
    for (size_t s = 0; s < sequences; ++s) {
      DIKAST_CHECK(batch.offsets[s] < batch.offsets[s + 1]);
      DIKAST_CHECK(batch.offsets[s + 1] - batch.offsets[s] <= limits.sequence_tokens);
      DIKAST_CHECK(batch.marker_offsets[s] <= batch.marker_offsets[s + 1] &&
                   batch.marker_offsets[s + 1] <= batch.markers.size());
      for (uint32_t m = batch.marker_offsets[s]; m < batch.marker_offsets[s + 1]; ++m) {
        DIKAST_CHECK(batch.offsets[s] <= batch.markers[m] &&
                     batch.markers[m] < batch.offsets[s + 1]);
      }
    }
  }

  void CountPositions(const SequenceBatch& batch) {
    for (size_t s = 0; s + 1 < batch.offsets.size(); ++s) {
      for (uint32_t row = batch.offsets[s]; row < batch.offsets[s + 1]; ++row) {
        buffers.positions[row] = row - batch.offsets[s];
      }
    }
  }

  const Ops& ops;
  ThreadPool& pool;
  BatchLimits limits;
  size_t actions;
  Encoder encoder;
  DecisionHead head;
  size_t scratch_floats = 0;
  Buffers buffers;
  StateObserver observer;
};

Result<DecisionModel> DecisionModel::Create(const CheckpointConfig& config, const Weights& weights,
                                            const Ops& ops, ThreadPool& pool,
                                            const BatchLimits& limits) {
  const auto* bert = std::get_if<BertConfig>(&config.encoder);
  if (bert && limits.sequence_tokens > bert->max_positions) {
    return Fail(ErrorCode::kModel, "sequences of " + std::to_string(limits.sequence_tokens) +
                                       " tokens are over the encoder's max_position_embeddings " +
                                       std::to_string(bert->max_positions));
  }
  try {
    return DecisionModel(std::make_unique<Impl>(config, weights, ops, pool, limits));
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kModel,
                "not enough memory for the expanded weights and the buffers of " +
                    std::to_string(limits.tokens) + " tokens");
  }
}

DecisionModel::DecisionModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DecisionModel::DecisionModel(DecisionModel&&) noexcept = default;
DecisionModel& DecisionModel::operator=(DecisionModel&&) noexcept = default;
DecisionModel::~DecisionModel() = default;

void DecisionModel::Forward(const SequenceBatch& batch, std::span<float> logits,
                            std::span<float> actions) {
  Impl& model = *impl_;
  model.CheckBatch(batch, logits.size(), actions.size());
  model.CountPositions(batch);
  const OpContext context{model.pool, model.buffers.scratch.span(), model.scratch_floats};
  Pass pass(model.ops, context, batch, model.buffers, model.observer);
  std::visit([&](const auto& encoder) { dikast::Forward(encoder, pass); }, model.encoder);
  dikast::Forward(model.head, pass, logits, actions);
}

void DecisionModel::set_observer(StateObserver observer) { impl_->observer = std::move(observer); }

}  // namespace dikast
