// tokenizer/tokenizer_config.json and special_tokens_map.json: which literals have a role.
#include "base/quote.h"
#include "base/try.h"
#include "checkpoint/config.h"
#include "checkpoint/config_object.h"

namespace dikast {
namespace {

// A token is a string, or an object with its content.
const std::string* Literal(const JsonValue* token) {
  if (!token) return nullptr;
  if (const std::string* text = token->AsString()) return text;
  const JsonValue* content = token->Find("content");
  return content ? content->AsString() : nullptr;
}

Result<std::string> ReadToken(const ConfigObject& config, const JsonValue& map,
                              std::string_view key) {
  const JsonValue* own = config.FindValue(key);
  const std::string* literal = Literal(own ? own : map.Find(key));
  if (literal && !literal->empty()) return *literal;
  return config.Wrong(
      key, own ? "a string, or an object with \"content\", is needed, not " + Describe(*own)
               : "neither this file nor special_tokens_map.json names this token");
}

Result<bool> ReadTruncateLeft(const ConfigObject& config) {
  if (!config.FindValue("truncation_side")) return false;
  DIKAST_TRY(const std::string side, config.String("truncation_side", "right"));
  if (side == "left" || side == "right") return side == "left";
  return config.Wrong("truncation_side", "\"left\" or \"right\" is needed, not " + Quote(side));
}

std::string MapFile(std::string_view file) {
  return std::filesystem::path(file).replace_filename("special_tokens_map.json").string();
}

}  // namespace

Result<SpecialTokens> ParseSpecialTokens(std::string_view text, std::string_view map,
                                         std::string_view file) {
  DIKAST_TRY(const JsonValue json, ParseConfigText(text, file));
  JsonValue gaps;
  if (!map.empty()) {
    DIKAST_TRY(gaps, ParseConfigText(map, MapFile(file)));
  }
  const ConfigObject config(json, file);
  SpecialTokens tokens;
  DIKAST_TRY(tokens.cls, ReadToken(config, gaps, "cls_token"));
  DIKAST_TRY(tokens.sep, ReadToken(config, gaps, "sep_token"));
  DIKAST_TRY(tokens.pad, ReadToken(config, gaps, "pad_token"));
  DIKAST_TRY(tokens.mask, ReadToken(config, gaps, "mask_token"));
  DIKAST_TRY(tokens.truncate_left, ReadTruncateLeft(config));
  return tokens;
}

}  // namespace dikast
