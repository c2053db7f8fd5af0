// A bare BertModel under "encoder.", so that its layers start with "encoder.encoder.".
#include "checkpoint/weight_tables.h"

namespace dikast {

void DeclareBert(const BertConfig& config, std::vector<WeightSpec>& specs) {
  const uint64_t width = config.width, intermediate = config.intermediate;
  const std::string embeddings = "encoder.embeddings.";
  specs.push_back(Matrix(embeddings + "word_embeddings.weight", config.vocabulary, width));
  specs.push_back(Matrix(embeddings + "position_embeddings.weight", config.max_positions, width));
  specs.push_back(Matrix(embeddings + "token_type_embeddings.weight", config.token_types, width));
  AddLayerNorm(embeddings + "LayerNorm", width, specs);
  if (config.relative_buckets > 0) {
    specs.push_back(Matrix("encoder.relative.weight", config.relative_buckets, config.heads));
  }
  for (uint32_t l = 0; l < config.layers; ++l) {
    const std::string layer = "encoder.encoder.layer." + std::to_string(l) + ".";
    AddDense(layer + "attention.self.query", width, width, specs);
    AddDense(layer + "attention.self.key", width, width, specs);
    AddDense(layer + "attention.self.value", width, width, specs);
    AddDense(layer + "attention.output.dense", width, width, specs);
    AddLayerNorm(layer + "attention.output.LayerNorm", width, specs);
    AddDense(layer + "intermediate.dense", intermediate, width, specs);
    AddDense(layer + "output.dense", width, intermediate, specs);
    AddLayerNorm(layer + "output.LayerNorm", width, specs);
  }
  // The reference wants the pooler in the file and never uses it.
  const size_t pooler = specs.size();
  AddDense("encoder.pooler.dense", width, width, specs);
  for (size_t i = pooler; i < specs.size(); ++i) specs[i].optional = true;
}

}  // namespace dikast
