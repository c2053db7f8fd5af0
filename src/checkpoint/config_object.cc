#include "checkpoint/config_object.h"

#include <charconv>
#include <cmath>

#include "base/quote.h"
#include "base/try.h"

namespace dikast {

const JsonValue* ConfigObject::FindValue(std::string_view key) const {
  const JsonValue* value = object_.Find(key);
  return value && value->IsNull() ? nullptr : value;
}

tl::unexpected<Error> ConfigObject::Wrong(std::string_view key, std::string_view message) const {
  return Fail(ErrorCode::kModel, PointerAppend(pointer_, key) + ": " + std::string(message),
              std::string(file_));
}

Result<uint32_t> ConfigObject::Integer(std::string_view key, uint32_t otherwise, uint32_t least,
                                       uint32_t most) const {
  const JsonValue* value = Find(key);
  if (!value) return otherwise;
  if (const JsonNumber* number = value->AsNumber()) {
    uint32_t result = 0;
    const char* end = number->spelling.data() + number->spelling.size();
    const auto [at, error] = std::from_chars(number->spelling.data(), end, result);
    if (at == end && error == std::errc() && result >= least && result <= most) return result;
  }
  return Wrong(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                        " is needed, not " + Describe(*value));
}

Result<double> ConfigObject::Positive(std::string_view key, double otherwise) const {
  const JsonValue* value = Find(key);
  if (!value) return otherwise;
  if (const JsonNumber* number = value->AsNumber()) {
    const double result = number->ToDouble();
    if (std::isfinite(result) && result > 0) return result;
  }
  return Wrong(key, "a number over 0 is needed, not " + Describe(*value));
}

Result<bool> ConfigObject::Bool(std::string_view key, bool otherwise) const {
  const JsonValue* value = Find(key);
  if (!value) return otherwise;
  if (const bool* truth = value->AsBool()) return *truth;
  return Wrong(key, "true or false is needed, not " + Describe(*value));
}

Result<std::string> ConfigObject::String(std::string_view key, std::string_view otherwise) const {
  const JsonValue* value = Find(key);
  if (!value) return std::string(otherwise);
  if (const std::string* text = value->AsString()) return *text;
  return Wrong(key, "a string is needed, not " + Describe(*value));
}

Result<ConfigObject> ConfigObject::Object(std::string_view key) const {
  const JsonValue& value = *Find(key);
  if (!value.AsObject()) return Wrong(key, "an object is needed, not " + Describe(value));
  return ConfigObject(value, file_, PointerAppend(pointer_, key));
}

Result<JsonValue> ParseConfigText(std::string_view text, std::string_view file) {
  auto json = ParseJson(text, JsonDialect::kReference);
  if (!json) {
    return Fail(ErrorCode::kModel, std::move(json).error().message, std::string(file));
  }
  if (!json->AsObject()) {
    return Fail(ErrorCode::kModel, "an object is needed, not " + std::string(json->KindName()),
                std::string(file));
  }
  return *std::move(json);
}

}  // namespace dikast
