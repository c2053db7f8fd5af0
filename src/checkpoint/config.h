// rl_agent_config.json, encoder/config.json and tokenizer_config.json of a Laya folder.
// Format: laya-format.md, sections 1.3 to 1.5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dikast/decision.h"
#include "dikast/status.h"

namespace dikast {

enum class HiddenActivation : uint8_t { kGeluErf, kGeluTanh, kRelu };

// The stored dtype of the encoder ("dtype", "torch_dtype") is not kept: dikast computes in FP32
// whatever it says. The reference runs a float16 or bfloat16 encoder in that type, even on the CPU;
// its probabilities then differ by about 1e-3 from the FP32 ones given here.
struct ModernBertConfig {
  uint32_t vocabulary = 0, width = 0, intermediate = 0, layers = 0, heads = 0, max_positions = 0;
  float norm_eps = 1e-5f;
  HiddenActivation activation = HiddenActivation::kGeluErf;
  uint32_t half_window = 64;
  std::vector<bool> global = {};  // by layer
  double global_rope_base = 160000, local_rope_base = 10000;
};

struct BertConfig {
  uint32_t vocabulary = 0, width = 0, intermediate = 0, layers = 0, heads = 0, max_positions = 0,
           token_types = 0;
  uint32_t relative_buckets = 0;  // of relative positions beside the absolute ones; 0: none
  float norm_eps = 1e-12f;
  HiddenActivation activation = HiddenActivation::kGeluErf;
};

using EncoderConfig = std::variant<ModernBertConfig, BertConfig>;

// Fields that every encoder has.
uint32_t EncoderWidth(const EncoderConfig& config);

struct LayaConfig {
  std::string model_name;
  uint32_t head_layers = 0;
  uint32_t max_len = 512, head_max_len = 192;
  uint32_t actions = 1;                    // 1 + number of act_costs
  Temperatures temperature;                // unusable values are 1.0
  std::optional<uint32_t> quantized_bits;  // "quantization": MLX affine, 8 or 4 bits, groups of 64
};

struct SpecialTokens {
  std::string cls, sep, pad, mask;  // literals
  bool truncate_left = false;       // truncation_side: the option cap keeps the last ids
};

struct CheckpointConfig {
  LayaConfig laya;
  EncoderConfig encoder;
  SpecialTokens tokens;
};

// Heads of the decision head: 64 columns each, at least one.
uint32_t DecisionHeads(uint32_t width);

// Columns that follow CLS in the action head's input.
inline constexpr uint32_t kStatistics = 4;

// Reads the files of a checkpoint folder. Errors: kModel with the file, the key and the value.
Result<CheckpointConfig> LoadConfig(const std::filesystem::path& folder);

// The single files, from their text; `file` names it in errors.
Result<LayaConfig> ParseLayaConfig(std::string_view text, std::string_view file);
Result<EncoderConfig> ParseEncoderConfig(std::string_view text, std::string_view file);
// `map` is special_tokens_map.json, which fills gaps; empty when there is none.
Result<SpecialTokens> ParseSpecialTokens(std::string_view text, std::string_view map,
                                         std::string_view file);

}  // namespace dikast
