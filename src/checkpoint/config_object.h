// Typed look-ups in one JSON object of a configuration file.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "dikast/json.h"
#include "dikast/status.h"

namespace dikast {

// Borrows the object and the file's name. An absent key takes the default; a key of another type or
// out of range is an error (kModel) that names the file, the key and the value.
class ConfigObject {
 public:
  ConfigObject(const JsonValue& object, std::string_view file, std::string pointer = {})
      : object_(object), file_(file), pointer_(std::move(pointer)) {}

  const JsonValue* Find(std::string_view key) const { return object_.Find(key); }
  // Like Find, but null counts as absent: how transformers reads its optional keys.
  const JsonValue* FindValue(std::string_view key) const;

  Result<uint32_t> Integer(std::string_view key, uint32_t otherwise, uint32_t least,
                           uint32_t most) const;
  // A finite number over 0.
  Result<double> Positive(std::string_view key, double otherwise) const;
  Result<bool> Bool(std::string_view key, bool otherwise) const;
  Result<std::string> String(std::string_view key, std::string_view otherwise) const;
  // The object under `key`, which is there and an object.
  Result<ConfigObject> Object(std::string_view key) const;

  // An error about `key`: "/key: message". The message says what to do.
  tl::unexpected<Error> Wrong(std::string_view key, std::string_view message) const;

 private:
  const JsonValue& object_;
  std::string_view file_;
  std::string pointer_;
};

// Reads the text of a configuration as the reference does (NaN allowed, the last of equal keys
// wins); it must be an object. Errors: kModel.
Result<JsonValue> ParseConfigText(std::string_view text, std::string_view file);

}  // namespace dikast
