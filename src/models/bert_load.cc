#include "models/activation.h"
#include "models/bert.h"
#include "models/loader.h"
#include "models/relative_positions.h"

namespace dikast {
namespace {

BertLayer LoadLayer(const Loader& loader, size_t l, float eps) {
  const std::string layer = "encoder.encoder.layer." + std::to_string(l) + ".";
  const std::string self = layer + "attention.self.";
  return {.query_key_value = loader.StackedDense({self + "query", self + "key", self + "value"}),
          .attention_output = loader.DenseWithBias(layer + "attention.output.dense"),
          .attention_norm = loader.NormWithBias(layer + "attention.output.LayerNorm", eps),
          .intermediate = loader.DenseWithBias(layer + "intermediate.dense"),
          .output = loader.DenseWithBias(layer + "output.dense"),
          .output_norm = loader.NormWithBias(layer + "output.LayerNorm", eps)};
}

}  // namespace

Bert LoadBert(const BertConfig& config, const Weights& weights, const Ops& ops, ThreadPool& pool) {
  const Loader loader(weights, ops, pool);
  const std::string embeddings = "encoder.embeddings.";
  Bert model;
  model.width = config.width;
  model.attention = {.heads = config.heads, .half_window = std::nullopt};
  if (config.relative_buckets > 0) {
    const size_t reach = config.max_positions - 1;
    model.distances = SpreadBuckets(loader.Floats("encoder.relative.weight"), config.heads,
                                    config.relative_buckets, reach);
    model.attention.bias = {model.distances.data(), reach};
  }
  model.activation = ActivationOf(config.activation);
  model.words = loader.Stored(embeddings + "word_embeddings.weight");
  model.positions = loader.Floats(embeddings + "position_embeddings.weight");
  model.token_type = loader.Floats(embeddings + "token_type_embeddings.weight");
  model.embedding_norm = loader.NormWithBias(embeddings + "LayerNorm", config.norm_eps);
  model.layers = loader.Layers<BertLayer>(
      config.layers, [&](size_t l) { return LoadLayer(loader, l, config.norm_eps); });
  return model;
}

}  // namespace dikast
