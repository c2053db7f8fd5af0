#include <cmath>

#include "models/activation.h"
#include "models/loader.h"
#include "models/modernbert.h"

namespace dikast {
namespace {

ModernBertLayer LoadLayer(const Loader& loader, const ModernBertConfig& config, size_t l) {
  const std::string layer = "encoder.layers." + std::to_string(l) + ".";
  return {.global = config.global[l],
          .attention_norm =
              l == 0 ? Norm() : loader.NormWithoutBias(layer + "attn_norm", config.norm_eps),
          .query_key_value = loader.DenseWithoutBias(layer + "attn.Wqkv"),
          .attention_output = loader.DenseWithoutBias(layer + "attn.Wo"),
          .mlp_norm = loader.NormWithoutBias(layer + "mlp_norm", config.norm_eps),
          .mlp_input = loader.DenseWithoutBias(layer + "mlp.Wi"),
          .mlp_output = loader.DenseWithoutBias(layer + "mlp.Wo")};
}

}  // namespace

Rotations MakeRotations(double base, size_t head_dim, size_t positions) {
  const size_t half = head_dim / 2;
  Rotations rotations{AlignedBuffer<float>(positions * half),
                      AlignedBuffer<float>(positions * half)};
  for (size_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(head_dim);
    const float power = static_cast<float>(std::pow(static_cast<float>(base), double{exponent}));
    const float inverse_frequency = 1.0f / power;
    for (size_t position = 0; position < positions; ++position) {
      const float angle = static_cast<float>(position) * inverse_frequency;
      rotations.cosine[position * half + i] = static_cast<float>(std::cos(double{angle}));
      rotations.sine[position * half + i] = static_cast<float>(std::sin(double{angle}));
    }
  }
  return rotations;
}

ModernBert LoadModernBert(const ModernBertConfig& config, const Weights& weights, const Ops& ops,
                          ThreadPool& pool, size_t max_sequence) {
  const Loader loader(weights, ops, pool);
  const size_t head_dim = config.width / config.heads;
  ModernBert model;
  model.width = config.width;
  model.intermediate = config.intermediate;
  model.global_attention = {.heads = config.heads, .half_window = std::nullopt};
  model.local_attention = {.heads = config.heads, .half_window = config.half_window};
  model.activation = ActivationOf(config.activation);
  model.global_rotations = MakeRotations(config.global_rope_base, head_dim, max_sequence);
  model.local_rotations = MakeRotations(config.local_rope_base, head_dim, max_sequence);
  model.words = loader.Stored("encoder.embeddings.tok_embeddings.weight");
  model.embedding_norm = loader.NormWithoutBias("encoder.embeddings.norm", config.norm_eps);
  model.final_norm = loader.NormWithoutBias("encoder.final_norm", config.norm_eps);
  model.layers = loader.Layers<ModernBertLayer>(
      config.layers, [&](size_t l) { return LoadLayer(loader, config, l); });
  return model;
}

}  // namespace dikast
