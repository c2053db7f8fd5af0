// The ModernBERT encoder. laya-format.md, section 3.
#pragma once

#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/weights.h"
#include "models/pass.h"

namespace dikast {

// cos and sin of every rotation up to the longest sequence.
struct Rotations {
  AlignedBuffer<float> cosine, sine;  // [positions, head_dim / 2]
  RopeTable table() const { return {cosine.span(), sine.span()}; }
};

struct ModernBertLayer {
  bool global = true;
  Norm attention_norm;    // empty in layer 0, whose input the embedding norm made
  Dense query_key_value;  // [3 width, width]
  Dense attention_output;
  Norm mlp_norm;
  Dense mlp_input;  // [2 intermediate, width]: u, then g
  Dense mlp_output;
};

struct ModernBert {
  size_t width = 0, intermediate = 0;
  AttentionKind global_attention, local_attention;
  Activation activation = Activation::kGeluErf;
  Rotations global_rotations, local_rotations;
  StoredTensor words;  // stays in the mapped file
  Norm embedding_norm, final_norm;
  std::vector<ModernBertLayer> layers;
};

// The rotations of positions 0 .. positions - 1. As in the reference, the inverse frequency and the
// angle are rounded to FP32: exact angles differ by up to 3e-5 near position 500.
Rotations MakeRotations(double base, size_t head_dim, size_t positions);

// May throw std::bad_alloc.
ModernBert LoadModernBert(const ModernBertConfig& config, const Weights& weights, const Ops& ops,
                          ThreadPool& pool, size_t max_sequence);

// Fills pass.buffers.hidden. Observed: the embedding, every layer and the final norm.
void Forward(const ModernBert& model, Pass& pass);

}  // namespace dikast
