// What a forward pass works with: the ops, their context and the buffers, bound once, so that the
// passes read like the formulas.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/aligned_buffer.h"
#include "kernels/ops.h"
#include "models/decision_model.h"

namespace dikast {

// y = x W^T + b. The bias may be empty.
struct Dense {
  PackedMatrix weight;
  AlignedBuffer<float> bias;
};

// LayerNorm over a row. The bias may be empty.
struct Norm {
  AlignedBuffer<float> weight, bias;
  float eps = 0;
};

// Heads of one attention: full, or local when half_window is set.
struct AttentionKind {
  size_t heads = 0;
  std::optional<uint32_t> half_window;
  DistanceBias bias = {};
};

// The activations of one forward pass, packed rows. Sized at load; their contents mean nothing
// between two passes.
struct Buffers {
  AlignedBuffer<float> hidden;        // [rows, width], the residual stream
  AlignedBuffer<float> normed;        // [rows, width]
  AlignedBuffer<float> wide;          // [rows, the widest projection]
  AlignedBuffer<float> mixed;         // [rows, max(width, intermediate, action layer)]
  AlignedBuffer<uint32_t> positions;  // [tokens], from 0 in each sequence
  AlignedBuffer<uint32_t> selected;   // [sequences + markers], rows of the batch
  AlignedBuffer<float> scratch;       // per thread, for the ops
};

class Pass {
 public:
  Pass(const Ops& ops, const OpContext& context, const SequenceBatch& batch, Buffers& buffers,
       const StateObserver& observer)
      : ops(ops), context(context), batch(batch), buffers(buffers), observer_(observer) {}

  size_t tokens() const { return batch.ids.size(); }
  size_t sequences() const { return batch.types.size(); }

  void LayerNorm(const Norm& norm, const float* x, size_t rows, float* out) const {
    ops.layer_norm(context, x, rows, norm.weight.size(), norm.weight.data(), norm.bias.data(),
                   norm.eps, out);
  }

  // out = activation(x W^T + b) + residual; the residual may be null, or out itself.
  void Linear(const Dense& dense, const float* x, size_t rows, Activation activation,
              const float* residual, float* out) const {
    ops.linear(context, x, rows, dense.weight, dense.bias.data(), activation, residual, out);
  }

  // The q, k and v columns of fused rows [q | k | v] of `width` each.
  AttentionShape FusedShape(const AttentionKind& kind, size_t width) const;

  // Rotates q and k of fused rows by the position of each token in its sequence.
  void Rotate(const AttentionKind& kind, size_t width, const RopeTable& table, float* fused) const {
    ops.rope(context, fused, fused + width, tokens(), FusedShape(kind, width),
             buffers.positions.span().first(tokens()), table);
  }

  void Attend(const AttentionKind& kind, size_t width, const float* fused, float* out) const {
    ops.attention(context, fused, fused + width, fused + 2 * width, batch.offsets,
                  FusedShape(kind, width), out);
  }

  void Observe(uint32_t layer, const float* rows, size_t width) const {
    if (observer_) observer_(layer, {rows, tokens() * width});
  }

  const Ops& ops;
  const OpContext& context;
  const SequenceBatch& batch;
  Buffers& buffers;

 private:
  const StateObserver& observer_;
};

inline AttentionShape Pass::FusedShape(const AttentionKind& kind, size_t width) const {
  const size_t head_dim = width / kind.heads;
  return {.heads = kind.heads,
          .head_dim = head_dim,
          .stride = 3 * width,
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim))),
          .half_window = kind.half_window,
          .bias = kind.bias};
}

}  // namespace dikast
