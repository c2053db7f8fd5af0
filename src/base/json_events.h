// JSON as events, for files too large to hold as a tree (a 34 MB tokenizer.json).
#pragma once

#include <string_view>

#include "dikast/json.h"

namespace dikast {

// Called in document order; each string_view lives for the call only. A callback that returns false
// stops the parse: ParseJsonEvents then returns the handler's own error().
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual bool BeginObject() = 0;
  virtual bool EndObject() = 0;
  virtual bool BeginArray() = 0;
  virtual bool EndArray() = 0;
  virtual bool Key(std::string_view key) = 0;
  virtual bool String(std::string_view text) = 0;
  virtual bool Number(std::string_view spelling) = 0;  // reference dialect: also NaN, Infinity
  virtual bool Bool(bool value) = 0;
  virtual bool Null() = 0;
  virtual Error error() const = 0;
  // Where the parse stands, for syntax errors; empty when unknown.
  virtual std::string Pointer() const { return {}; }
};

inline constexpr size_t kMaxJsonDepth = 128;

// Errors: kRequest with the byte offset in the message.
Result<void> ParseJsonEvents(std::string_view text, JsonDialect dialect, JsonHandler& handler);

}  // namespace dikast
