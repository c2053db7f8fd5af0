#include "models/decision_head.h"
#include "models/loader.h"

namespace dikast {
namespace {

constexpr float kHeadNormEps = 1e-5f;  // PyTorch's default, which the reference leaves in place

HeadLayer LoadLayer(const Loader& loader, size_t l) {
  const std::string layer = "head.layers." + std::to_string(l) + ".";
  return {.attention_norm = loader.NormWithBias(layer + "norm1", kHeadNormEps),
          .query_key_value = loader.DenseNamed(layer + "self_attn.in_proj_weight",
                                               layer + "self_attn.in_proj_bias"),
          .attention_output = loader.DenseWithBias(layer + "self_attn.out_proj"),
          .feed_forward_norm = loader.NormWithBias(layer + "norm2", kHeadNormEps),
          .feed_forward_input = loader.DenseWithBias(layer + "linear1"),
          .feed_forward_output = loader.DenseWithBias(layer + "linear2")};
}

}  // namespace

DecisionHead LoadDecisionHead(const CheckpointConfig& config, const Weights& weights,
                              const Ops& ops, ThreadPool& pool) {
  const Loader loader(weights, ops, pool);
  DecisionHead head;
  head.width = EncoderWidth(config.encoder);
  head.attention = {.heads = DecisionHeads(EncoderWidth(config.encoder)),
                    .half_window = std::nullopt};
  head.types = loader.Floats("type_emb.weight");
  head.layers = loader.Layers<HeadLayer>(config.laya.head_layers,
                                         [&](size_t l) { return LoadLayer(loader, l); });
  head.scorer_norm = loader.NormWithBias("scorer.0", kHeadNormEps);
  head.scorer_input = loader.DenseWithBias("scorer.1");
  head.scorer_output = loader.DenseWithBias("scorer.3");
  head.action_input = loader.DenseWithBias("act_head.0");
  head.action_output = loader.DenseWithBias("act_head.2");
  return head;
}

}  // namespace dikast
