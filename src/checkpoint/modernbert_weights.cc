// laya-format.md, section 1.2: no biases anywhere, norms have a weight only.
#include "checkpoint/weight_tables.h"

namespace dikast {

void DeclareModernBert(const ModernBertConfig& config, std::vector<WeightSpec>& specs) {
  const uint64_t width = config.width, intermediate = config.intermediate;
  specs.push_back(Matrix("encoder.embeddings.tok_embeddings.weight", config.vocabulary, width));
  specs.push_back(Vector("encoder.embeddings.norm.weight", width));
  for (uint32_t l = 0; l < config.layers; ++l) {
    const std::string layer = "encoder.layers." + std::to_string(l) + ".";
    // The embedding norm serves layer 0.
    if (l > 0) specs.push_back(Vector(layer + "attn_norm.weight", width));
    specs.push_back(Matrix(layer + "attn.Wqkv.weight", 3 * width, width));
    specs.push_back(Matrix(layer + "attn.Wo.weight", width, width));
    specs.push_back(Vector(layer + "mlp_norm.weight", width));
    specs.push_back(Matrix(layer + "mlp.Wi.weight", 2 * intermediate, width));
    specs.push_back(Matrix(layer + "mlp.Wo.weight", width, intermediate));
  }
  specs.push_back(Vector("encoder.final_norm.weight", width));
}

}  // namespace dikast
