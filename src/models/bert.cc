#include "models/bert.h"

namespace dikast {

void Forward(const Bert& model, Pass& pass) {
  const size_t rows = pass.tokens(), width = model.width;
  float* x = pass.buffers.hidden.data();
  float* wide = pass.buffers.wide.data();
  float* mixed = pass.buffers.mixed.data();

  // x = LN(word[id] + type[0] + position[i])
  pass.ops.embed(pass.context, model.words, pass.batch.ids, x);
  pass.ops.add_row(pass.context, x, rows, width, model.token_type.data(), x);
  for (size_t s = 0; s < pass.sequences(); ++s) {
    // Positions restart in each sequence: its rows, end to end, are one row plus the table's start.
    const size_t begin = pass.batch.offsets[s], end = pass.batch.offsets[s + 1];
    float* sequence = x + begin * width;
    pass.ops.add_row(pass.context, sequence, 1, (end - begin) * width, model.positions.data(),
                     sequence);
  }
  pass.LayerNorm(model.embedding_norm, x, rows, x);
  pass.Observe(0, x, width);

  uint32_t observed = 0;
  for (const BertLayer& layer : model.layers) {
    // x = LN(x + Wo Attn(x))
    pass.Linear(layer.query_key_value, x, rows, Activation::kNone, nullptr, wide);
    pass.Attend(model.attention, width, wide, mixed);
    pass.Linear(layer.attention_output, mixed, rows, Activation::kNone, x, x);
    pass.LayerNorm(layer.attention_norm, x, rows, x);

    // x = LN(x + W2 gelu(W1 x + b1) + b2)
    pass.Linear(layer.intermediate, x, rows, model.activation, nullptr, wide);
    pass.Linear(layer.output, wide, rows, Activation::kNone, x, x);
    pass.LayerNorm(layer.output_norm, x, rows, x);
    pass.Observe(++observed, x, width);
  }
}

}  // namespace dikast
