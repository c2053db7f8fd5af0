// laya-format.md, section 1.2: layers with fused q|k|v, scorer, action head.
#include "checkpoint/weight_tables.h"

namespace dikast {

void DeclareDecisionHead(const LayaConfig& config, uint64_t width, std::vector<WeightSpec>& specs) {
  constexpr uint64_t kQuestionTypes = 3, kActionHidden = 256;
  for (uint32_t l = 0; l < config.head_layers; ++l) {
    const std::string layer = "head.layers." + std::to_string(l) + ".";
    specs.push_back(Matrix(layer + "self_attn.in_proj_weight", 3 * width, width));
    specs.push_back(Vector(layer + "self_attn.in_proj_bias", 3 * width));
    AddDense(layer + "self_attn.out_proj", width, width, specs);
    AddDense(layer + "linear1", 4 * width, width, specs);
    AddDense(layer + "linear2", width, 4 * width, specs);
    AddLayerNorm(layer + "norm1", width, specs);
    AddLayerNorm(layer + "norm2", width, specs);
  }
  specs.push_back(Matrix("type_emb.weight", kQuestionTypes, width));
  AddLayerNorm("scorer.0", width, specs);
  AddDense("scorer.1", width, width, specs);
  AddDense("scorer.3", 1, width, specs);
  AddDense("act_head.0", kActionHidden, width + kStatistics, specs);
  AddDense("act_head.2", config.actions, kActionHidden, specs);
  // Never read: the temperatures come from rl_agent_config.json. The reference wants it in the
  // file.
  specs.push_back(Vector("temperature", kQuestionTypes));
}

}  // namespace dikast
