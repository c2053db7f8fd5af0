#include "checkpoint/config.h"

#include <algorithm>

#include "base/file.h"
#include "base/try.h"

namespace dikast {
namespace {

// The two model configurations have a few kilobytes. tokenizer_config.json lists every added token:
// 1.2 MB for the largest vocabulary known.
constexpr size_t kMaxConfigBytes = 1 << 20, kMaxTokenizerConfigBytes = 4 << 20;

// What one file asks of another.
Result<void> CheckTogether(const CheckpointConfig& config, const std::string& laya_file) {
  const uint32_t width = EncoderWidth(config.encoder);
  if (config.laya.head_layers > 0 && width % DecisionHeads(width) != 0) {
    return Fail(ErrorCode::kModel,
                "/head_layers: the encoder's hidden_size " + std::to_string(width) +
                    " cannot be cut into " + std::to_string(DecisionHeads(width)) +
                    " heads of the decision head (hidden_size / 64)",
                laya_file);
  }
  return {};
}

Result<SpecialTokens> LoadSpecialTokens(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "tokenizer_config.json";
  const std::filesystem::path map_file = folder / "special_tokens_map.json";
  DIKAST_TRY(const std::string text, ReadFile(file, kMaxTokenizerConfigBytes));
  std::string map;
  std::error_code ignored;
  if (std::filesystem::exists(map_file, ignored)) {
    DIKAST_TRY(map, ReadFile(map_file, kMaxTokenizerConfigBytes));
  }
  return ParseSpecialTokens(text, map, file.string());
}

}  // namespace

uint32_t DecisionHeads(uint32_t width) { return std::max<uint32_t>(1, width / 64); }

Result<CheckpointConfig> LoadConfig(const std::filesystem::path& folder) {
  const std::string laya_file = (folder / "rl_agent_config.json").string();
  const std::string encoder_file = (folder / "encoder" / "config.json").string();
  CheckpointConfig config;
  DIKAST_TRY(const std::string laya_text, ReadFile(laya_file, kMaxConfigBytes));
  DIKAST_TRY(config.laya, ParseLayaConfig(laya_text, laya_file));
  DIKAST_TRY(const std::string encoder_text, ReadFile(encoder_file, kMaxConfigBytes));
  DIKAST_TRY(config.encoder, ParseEncoderConfig(encoder_text, encoder_file));
  DIKAST_TRY(config.tokens, LoadSpecialTokens(folder / "tokenizer"));
  DIKAST_CHECK_OK(CheckTogether(config, laya_file));
  return config;
}

}  // namespace dikast
