// A JSON value that keeps what the request said: member order, and the exact spelling of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dikast/status.h"

namespace dikast {

struct JsonMember;

// The spelling of a number as it stood in the text ("1e2", "-0", "12345678901234567890"). In loose
// parsing also "NaN", "Infinity" and "-Infinity".
struct JsonNumber {
  std::string spelling;

  // No fraction and no exponent.
  bool IsInteger() const;
  // The nearest double; past its range plus or minus infinity, or zero.
  double ToDouble() const;
  // The value of an integer spelling that fits.
  std::optional<int64_t> ToInteger() const;
};

using JsonArray = std::vector<struct JsonValue>;
using JsonObject = std::vector<JsonMember>;

// Value semantics; safe to read from several threads. Null by default.
struct JsonValue {
  std::variant<std::nullptr_t, bool, JsonNumber, std::string, JsonArray, JsonObject> value;

  bool IsNull() const { return std::holds_alternative<std::nullptr_t>(value); }
  const bool* AsBool() const { return std::get_if<bool>(&value); }
  const JsonNumber* AsNumber() const { return std::get_if<JsonNumber>(&value); }
  const std::string* AsString() const { return std::get_if<std::string>(&value); }
  const JsonArray* AsArray() const { return std::get_if<JsonArray>(&value); }
  const JsonObject* AsObject() const { return std::get_if<JsonObject>(&value); }

  // The first member of that name, or null when this is no object or has none. Linear.
  const JsonValue* Find(std::string_view key) const;

  // "null", "a boolean", "a number", "a string", "an array", "an object": for messages.
  std::string_view KindName() const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

enum class JsonDialect {
  kStrict,     // RFC 8259; a repeated key or a number past the range of a double is an error
  kReference,  // what Python's json.loads takes: NaN and Infinity; a repeated key keeps its first
               // position and its last value
};

// Checked while a text is read. Raise them only for texts of one's own.
struct JsonLimits {
  // "0," is two bytes of text and a value of 40: a short text must not ask for much memory.
  // 1,000 choices of 255 options, or 600 with a description each, have fewer.
  size_t values = 500'000;
  size_t string_bytes = SIZE_MAX;  // of a string or a key
};

// Errors: kRequest, with the JSON Pointer of the value and the byte offset in the message. Depth is
// limited to 128, and invalid UTF-8 is refused.
Result<JsonValue> ParseJson(std::string_view text, JsonDialect dialect = JsonDialect::kStrict,
                            const JsonLimits& limits = {});

// Appends one token to a JSON Pointer, escaping "~" and "/" (RFC 6901, section 3).
std::string PointerAppend(std::string_view pointer, std::string_view token);
std::string PointerAppend(std::string_view pointer, size_t index);

}  // namespace dikast
