// encoder/config.json, as transformers reads it: an absent key takes the default of its class.
#include <cmath>

#include "base/quote.h"
#include "base/try.h"
#include "checkpoint/config.h"
#include "checkpoint/config_object.h"

namespace dikast {
namespace {

// Plausibility limits, several times the largest encoder known, so that products stay far from
// overflow and a damaged number is named here.
constexpr uint32_t kMaxVocabulary = 4'194'304, kMaxWidth = 16'384, kMaxIntermediate = 131'072,
                   kMaxLayers = 256, kMaxHeads = 1024, kMaxPositions = 1'048'576,
                   kMaxTokenTypes = 1024;

struct NamedActivation {
  std::string_view name;
  HiddenActivation activation;
};

constexpr NamedActivation kActivations[] = {
    {"gelu", HiddenActivation::kGeluErf},      {"gelu_python", HiddenActivation::kGeluErf},
    {"gelu_new", HiddenActivation::kGeluTanh}, {"gelu_pytorch_tanh", HiddenActivation::kGeluTanh},
    {"relu", HiddenActivation::kRelu},
};

Result<HiddenActivation> ReadActivation(const ConfigObject& config, std::string_view key) {
  DIKAST_TRY(const std::string name, config.String(key, "gelu"));
  for (const NamedActivation& known : kActivations) {
    if (known.name == name) return known.activation;
  }
  return config.Wrong(
      key, "the activation " + Quote(name) + " is not supported; gelu, gelu_new and relu are");
}

Result<void> RequireFalse(const ConfigObject& config, std::string_view key) {
  DIKAST_TRY(const bool value, config.Bool(key, false));
  if (value) return config.Wrong(key, "true is not supported");
  return {};
}

struct SizeDefaults {
  uint32_t vocabulary, width, intermediate, layers, heads, max_positions;
};

// The keys that both families spell alike.
template <class Config>
Result<void> ReadSizes(const ConfigObject& json, const SizeDefaults& otherwise, Config& config) {
  DIKAST_TRY(config.vocabulary,
             json.Integer("vocab_size", otherwise.vocabulary, 1, kMaxVocabulary));
  DIKAST_TRY(config.width, json.Integer("hidden_size", otherwise.width, 1, kMaxWidth));
  DIKAST_TRY(config.intermediate,
             json.Integer("intermediate_size", otherwise.intermediate, 1, kMaxIntermediate));
  DIKAST_TRY(config.layers, json.Integer("num_hidden_layers", otherwise.layers, 1, kMaxLayers));
  DIKAST_TRY(config.heads, json.Integer("num_attention_heads", otherwise.heads, 1, kMaxHeads));
  DIKAST_TRY(config.max_positions,
             json.Integer("max_position_embeddings", otherwise.max_positions, 1, kMaxPositions));
  if (config.width % config.heads != 0) {
    return json.Wrong("num_attention_heads", std::to_string(config.heads) +
                                                 " heads do not divide the hidden_size " +
                                                 std::to_string(config.width));
  }
  const uint32_t head_dim = config.width / config.heads;
  const JsonValue* stated = json.FindValue("head_dim");
  const JsonNumber* number = stated ? stated->AsNumber() : nullptr;
  if (stated && !(number && number->spelling == std::to_string(head_dim))) {
    return json.Wrong("head_dim", Describe(*stated) +
                                      " is not hidden_size / num_attention_heads, " +
                                      std::to_string(head_dim));
  }
  return {};
}

Result<float> ReadEpsilon(const ConfigObject& json, std::string_view key, double otherwise) {
  DIKAST_TRY(const double value, json.Positive(key, otherwise));
  if (value > 1) return json.Wrong(key, "an epsilon over 1 is not plausible");
  return static_cast<float>(value);
}

// rope_parameters wins for each kind of layer; a kind that it lacks takes the older key.
Result<double> ReadRopeBase(const ConfigObject& json, std::string_view kind,
                            std::string_view older_key, double otherwise) {
  DIKAST_TRY(const double older, json.Positive(older_key, otherwise));
  if (!json.FindValue("rope_parameters")) return older;
  DIKAST_TRY(const ConfigObject kinds, json.Object("rope_parameters"));
  if (!kinds.FindValue(kind)) return older;
  DIKAST_TRY(const ConfigObject rope, kinds.Object(kind));
  DIKAST_TRY(const std::string type, rope.String("rope_type", "default"));
  if (type != "default") {
    return rope.Wrong("rope_type", Quote(type) + " is not supported; only \"default\" is");
  }
  return rope.Positive("rope_theta", older);
}

Result<void> RefuseFlatRope(const ConfigObject& json) {
  if (json.FindValue("rope_scaling")) {
    return json.Wrong("rope_scaling", "scaled rotary positions are not supported");
  }
  if (!json.FindValue("rope_parameters")) return {};
  DIKAST_TRY(const ConfigObject kinds, json.Object("rope_parameters"));
  if (!kinds.Find("rope_theta")) return {};
  return kinds.Wrong("rope_theta",
                     "one base for all layers is ambiguous; give one in full_attention and one in "
                     "sliding_attention");
}

Result<bool> ReadLayerType(const ConfigObject& json, const JsonValue& value) {
  const std::string* name = value.AsString();
  if (name && *name == "full_attention") return true;
  if (name && *name == "sliding_attention") return false;
  return json.Wrong("layer_types", "\"full_attention\" or \"sliding_attention\" is needed, not " +
                                       Describe(value));
}

// Which layers are global: layer_types, else every n-th from layer 0.
Result<std::vector<bool>> ReadLayerTypes(const ConfigObject& json, uint32_t layers) {
  std::vector<bool> global(layers);
  const JsonValue* types = json.FindValue("layer_types");
  if (!types) {
    DIKAST_TRY(const uint32_t every, json.Integer("global_attn_every_n_layers", 3, 1, kMaxLayers));
    for (uint32_t layer = 0; layer < layers; ++layer) global[layer] = layer % every == 0;
    return global;
  }
  const JsonArray* list = types->AsArray();
  if (!list || list->size() != layers) {
    return json.Wrong("layer_types",
                      "a list of " + std::to_string(layers) +
                          " kinds is needed (num_hidden_layers), not " +
                          (list ? "one of " + std::to_string(list->size()) : Describe(*types)));
  }
  for (uint32_t layer = 0; layer < layers; ++layer) {
    DIKAST_TRY(const bool is_global, ReadLayerType(json, (*list)[layer]));
    global[layer] = is_global;
  }
  return global;
}

Result<EncoderConfig> ReadModernBert(const ConfigObject& json) {
  ModernBertConfig config;
  DIKAST_CHECK_OK(ReadSizes(json,
                            {.vocabulary = 50368,
                             .width = 768,
                             .intermediate = 1152,
                             .layers = 22,
                             .heads = 12,
                             .max_positions = 8192},
                            config));
  if (config.width / config.heads % 2 != 0) {
    return json.Wrong("num_attention_heads", "a head of " +
                                                 std::to_string(config.width / config.heads) +
                                                 " columns cannot be rotated in pairs");
  }
  for (const std::string_view key : {"norm_bias", "attention_bias", "mlp_bias"}) {
    DIKAST_CHECK_OK(RequireFalse(json, key));
  }
  DIKAST_TRY(config.norm_eps, ReadEpsilon(json, "norm_eps", 1e-5));
  DIKAST_TRY(config.activation, ReadActivation(json, "hidden_activation"));
  DIKAST_TRY(const uint32_t window, json.Integer("local_attention", 128, 0, kMaxPositions));
  DIKAST_TRY(config.half_window, json.Integer("sliding_window", window / 2, 0, kMaxPositions));
  DIKAST_TRY(config.global, ReadLayerTypes(json, config.layers));
  DIKAST_CHECK_OK(RefuseFlatRope(json));
  DIKAST_TRY(config.global_rope_base,
             ReadRopeBase(json, "full_attention", "global_rope_theta", 160000));
  DIKAST_TRY(config.local_rope_base,
             ReadRopeBase(json, "sliding_attention", "local_rope_theta", 10000));
  return config;
}

// A form of dikast's own for MPNet: absolute positions, and biases by bucket of distance.
Result<uint32_t> ReadBuckets(const ConfigObject& json) {
  constexpr char kKey[] = "relative_attention_num_buckets";
  DIKAST_TRY(const uint32_t buckets, json.Integer(kKey, 32, 8, 256));
  if (buckets % 4 != 0) return json.Wrong(kKey, std::to_string(buckets) + " is no multiple of 4");
  return buckets;
}

Result<EncoderConfig> ReadBert(const ConfigObject& json) {
  BertConfig config;
  DIKAST_CHECK_OK(ReadSizes(json,
                            {.vocabulary = 30522,
                             .width = 768,
                             .intermediate = 3072,
                             .layers = 12,
                             .heads = 12,
                             .max_positions = 512},
                            config));
  for (const std::string_view key : {"is_decoder", "add_cross_attention"}) {
    DIKAST_CHECK_OK(RequireFalse(json, key));
  }
  DIKAST_TRY(const std::string positions, json.String("position_embedding_type", "absolute"));
  if (positions == "absolute_and_relative") {
    DIKAST_TRY(config.relative_buckets, ReadBuckets(json));
  } else if (positions != "absolute") {
    return json.Wrong(
        "position_embedding_type",
        Quote(positions) + " is not supported; \"absolute\" and \"absolute_and_relative\" are");
  }
  DIKAST_TRY(config.token_types, json.Integer("type_vocab_size", 2, 1, kMaxTokenTypes));
  DIKAST_TRY(config.norm_eps, ReadEpsilon(json, "layer_norm_eps", 1e-12));
  DIKAST_TRY(config.activation, ReadActivation(json, "hidden_act"));
  return config;
}

}  // namespace

uint32_t EncoderWidth(const EncoderConfig& config) {
  return std::visit([](const auto& encoder) { return encoder.width; }, config);
}

Result<EncoderConfig> ParseEncoderConfig(std::string_view text, std::string_view file) {
  DIKAST_TRY(const JsonValue json, ParseConfigText(text, file));
  const ConfigObject config(json, file);
  DIKAST_TRY(const std::string type, config.String("model_type", ""));
  if (type == "modernbert") return ReadModernBert(config);
  if (type == "bert") return ReadBert(config);
  return config.Wrong("model_type",
                      Quote(type) + " is not supported; \"modernbert\" and \"bert\" are");
}

}  // namespace dikast
