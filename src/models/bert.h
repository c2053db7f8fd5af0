// The BERT encoder (laya-format.md, section 1.2), and with relative positions beside the absolute
// ones as MPNet has them (Song et al. 2020, arXiv:2004.09297).
#pragma once

#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/weights.h"
#include "models/pass.h"

namespace dikast {

struct BertLayer {
  Dense query_key_value;  // [3 width, width]
  Dense attention_output;
  Norm attention_norm;
  Dense intermediate, output;
  Norm output_norm;
};

struct Bert {
  size_t width = 0;
  AttentionKind attention;
  // Of attention.bias: [heads, 2 * max_positions - 1]; empty without relative positions.
  AlignedBuffer<float> distances;
  Activation activation = Activation::kGeluErf;
  StoredTensor words;               // stays in the mapped file
  AlignedBuffer<float> positions;   // [max_positions, width]
  AlignedBuffer<float> token_type;  // of type 0, the only one used
  Norm embedding_norm;
  std::vector<BertLayer> layers;
};

// May throw std::bad_alloc.
Bert LoadBert(const BertConfig& config, const Weights& weights, const Ops& ops, ThreadPool& pool);

// Fills pass.buffers.hidden. Observed: the embedding and every layer.
void Forward(const Bert& model, Pass& pass);

}  // namespace dikast
