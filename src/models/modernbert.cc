#include "models/modernbert.h"

namespace dikast {

void Forward(const ModernBert& model, Pass& pass) {
  const size_t rows = pass.tokens(), width = model.width;
  float* x = pass.buffers.hidden.data();
  float* normed = pass.buffers.normed.data();
  float* wide = pass.buffers.wide.data();
  float* mixed = pass.buffers.mixed.data();

  // x = LN(E[ids])
  pass.ops.embed(pass.context, model.words, pass.batch.ids, x);
  pass.LayerNorm(model.embedding_norm, x, rows, x);
  pass.Observe(0, x, width);

  uint32_t observed = 0;
  for (const ModernBertLayer& layer : model.layers) {
    const AttentionKind& attention = layer.global ? model.global_attention : model.local_attention;
    const Rotations& rotations = layer.global ? model.global_rotations : model.local_rotations;

    // a = x in layer 0, else LN(x);  x += Wo Attn(Wqkv a)
    const bool first = &layer == &model.layers.front();
    if (!first) pass.LayerNorm(layer.attention_norm, x, rows, normed);
    pass.Linear(layer.query_key_value, first ? x : normed, rows, Activation::kNone, nullptr, wide);
    pass.Rotate(attention, width, rotations.table(), wide);
    pass.Attend(attention, width, wide, mixed);
    pass.Linear(layer.attention_output, mixed, rows, Activation::kNone, x, x);

    // [u | g] = Wi LN(x);  x += Wo (gelu(u) * g)
    pass.LayerNorm(layer.mlp_norm, x, rows, normed);
    pass.Linear(layer.mlp_input, normed, rows, Activation::kNone, nullptr, wide);
    pass.ops.gated(pass.context, wide, rows, model.intermediate, model.activation, mixed);
    pass.Linear(layer.mlp_output, mixed, rows, Activation::kNone, x, x);
    pass.Observe(++observed, x, width);
  }

  pass.LayerNorm(model.final_norm, x, rows, x);
  pass.Observe(++observed, x, width);
}

}  // namespace dikast
