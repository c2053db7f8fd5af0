// rl_agent_config.json. Keys that the reference ignores are ignored here.
#include <charconv>
#include <cmath>

#include "base/quote.h"
#include "base/try.h"
#include "checkpoint/config.h"
#include "checkpoint/config_object.h"

namespace dikast {
namespace {

// Far above any published checkpoint (512 to 8192); bounds the buffers that a file can ask for.
constexpr uint32_t kMaxLen = 65'536;
constexpr uint32_t kMaxHeadLayers = 64;
constexpr size_t kMaxActionCosts = 255;

constexpr bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What Python's float() makes of a string: white space around it, a plus sign and single
// underscores between digits are allowed.
std::optional<double> PythonFloatOf(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  if (text.starts_with("+") && !text.starts_with("+-")) text.remove_prefix(1);
  std::string digits;
  const auto is_digit = [&](size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && i > 0 && is_digit(i - 1) && is_digit(i + 1)) continue;
    digits += text[i];
  }
  double ignored = 0;
  const char* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, ignored);
  if (at != end || error == std::errc::invalid_argument) return std::nullopt;
  return JsonNumber{digits}.ToDouble();
}

// A temperature as the reference reads it: what is no finite number counts as 1.0. The clamp to
// [0.5, 5] belongs to the read-out.
double Temperature(const JsonValue& value) {
  std::optional<double> number;
  if (const JsonNumber* json = value.AsNumber()) number = json->ToDouble();
  if (const std::string* text = value.AsString()) number = PythonFloatOf(*text);
  return number && std::isfinite(*number) ? *number : 1.0;
}

Result<Temperatures> ReadTemperatures(const ConfigObject& config) {
  Temperatures map;
  if (const JsonValue* list = config.Find("temperature")) {
    const JsonArray* values = list->AsArray();
    if (!values || values->size() != map.by_type.size()) {
      return config.Wrong(
          "temperature",
          "a list of 3 numbers is needed (choice, score, noul), not " +
              (values ? "one of " + std::to_string(values->size()) : Describe(*list)));
    }
    for (size_t i = 0; i < values->size(); ++i) map.by_type[i] = Temperature((*values)[i]);
  }
  if (const JsonValue* buckets = config.Find("temperature_by_options")) {
    if (!buckets->AsObject()) {
      return config.Wrong("temperature_by_options",
                          "an object of buckets is needed, not " + Describe(*buckets));
    }
    for (const JsonMember& bucket : *buckets->AsObject()) {
      map.by_bucket.insert_or_assign(bucket.key, Temperature(bucket.value));
    }
  }
  return map;
}

Result<uint32_t> ReadActions(const ConfigObject& config) {
  const JsonValue* costs = config.Find("act_costs");
  if (!costs) return 1;
  if (!costs->AsObject() && !costs->AsArray()) {
    return config.Wrong("act_costs", "an object of costs is needed, not " + Describe(*costs));
  }
  const size_t count = costs->AsObject() ? costs->AsObject()->size() : costs->AsArray()->size();
  if (count > kMaxActionCosts) {
    return config.Wrong("act_costs", std::to_string(count) + " costs are over the limit of " +
                                         std::to_string(kMaxActionCosts));
  }
  return static_cast<uint32_t>(count) + 1;
}

Result<void> CheckLayout(const ConfigObject& config) {
  const JsonValue* layout = config.Find("option_layout");
  if (!layout) return {};
  const std::string* name = layout->AsString();
  if (name && *name == "sequential") return {};
  if (name && *name == "parallel") {
    return config.Wrong("option_layout",
                        "the \"parallel\" layout is not supported; only \"sequential\" is");
  }
  return config.Wrong("option_layout", "\"sequential\" is needed, not " + Describe(*layout));
}

Result<std::optional<uint32_t>> ReadQuantization(const ConfigObject& config) {
  if (!config.FindValue("quantization")) return std::nullopt;
  DIKAST_TRY(const ConfigObject quantization, config.Object("quantization"));
  for (const JsonMember& member : *config.Find("quantization")->AsObject()) {
    if (member.key == "group_size" || member.key == "bits" || member.key == "mode") continue;
    return quantization.Wrong(member.key, "overrides for single modules are not supported");
  }
  DIKAST_TRY(const std::string mode, quantization.String("mode", "affine"));
  if (mode != "affine") {
    return quantization.Wrong("mode", Quote(mode) + " is not supported; only \"affine\" is");
  }
  DIKAST_TRY(const uint32_t group, quantization.Integer("group_size", 64, 1, 1024));
  if (group != 64) {
    return quantization.Wrong(
        "group_size", "groups of " + std::to_string(group) + " are not supported; of 64 are");
  }
  DIKAST_TRY(const uint32_t bits, quantization.Integer("bits", 4, 0, 64));
  if (bits != 4 && bits != 8) {
    return quantization.Wrong("bits",
                              std::to_string(bits) + " bits are not supported; 4 and 8 are");
  }
  return bits;
}

// A budget of 0 or less leaves every option its 4 tokens, in the reference, too: they all mean 0.
Result<uint32_t> ReadHeadMaxLen(const ConfigObject& config) {
  const JsonValue* value = config.Find("head_max_len");
  const JsonNumber* number = value ? value->AsNumber() : nullptr;
  if (number && number->spelling.starts_with('-') &&
      number->spelling.find_first_not_of("0123456789", 1) == std::string::npos) {
    return 0;
  }
  return config.Integer("head_max_len", 192, 0, kMaxLen);
}

}  // namespace

Result<LayaConfig> ParseLayaConfig(std::string_view text, std::string_view file) {
  DIKAST_TRY(const JsonValue json, ParseConfigText(text, file));
  const ConfigObject config(json, file);
  for (const std::string_view key : {"encoder", "head_layers"}) {
    if (!config.Find(key)) return config.Wrong(key, "the key is missing; every Laya model has it");
  }
  LayaConfig laya;
  DIKAST_TRY(laya.model_name, config.String("model_name", ""));
  DIKAST_CHECK_OK(config.String("encoder", ""));
  DIKAST_TRY(laya.head_layers, config.Integer("head_layers", 2, 0, kMaxHeadLayers));
  DIKAST_TRY(laya.max_len, config.Integer("max_len", 512, 1, kMaxLen));
  DIKAST_TRY(laya.head_max_len, ReadHeadMaxLen(config));
  DIKAST_TRY(laya.actions, ReadActions(config));
  DIKAST_TRY(laya.temperature, ReadTemperatures(config));
  DIKAST_TRY(laya.quantized_bits, ReadQuantization(config));
  DIKAST_CHECK_OK(CheckLayout(config));
  return laya;
}

}  // namespace dikast
