// Strict reading of one object in a tokenizer.json: every fault names the member.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/json.h"
#include "dikast/status.h"

namespace dikast {

// A kModel error without a path, its message joined from `parts`.
template <class... Parts>
tl::unexpected<Error> Refuse(const Parts&... parts) {
  std::string message;
  (message.append(parts), ...);
  return Fail(ErrorCode::kModel, std::move(message));
}

// A string of the file for a message: in quotes, without control characters, cut at 100 bytes.
std::string Quoted(std::string_view text);

// A view: the JSON tree must outlive it.
class Component {
 public:
  // `where` names the object in messages ("model"); it is empty for the whole file.
  static Result<Component> Of(const JsonValue& value, std::string where);
  // The object in member `key`.
  Result<Component> Open(std::string_view key) const;
  // The parts of a {"type": "Sequence", `key`: [...]}, whose types must be `types`.
  Result<std::vector<Component>> OpenSequence(std::string_view key,
                                              std::initializer_list<std::string_view> types) const;

  // The name of a member in messages: "model.vocab".
  std::string Where(std::string_view key) const;

  // Null when the member is absent or null.
  const JsonValue* Find(std::string_view key) const;

  // Absent and null are errors, or give `fallback`.
  Result<std::string> String(std::string_view key) const;
  Result<bool> Bool(std::string_view key, bool fallback) const;
  Result<int32_t> Integer(std::string_view key) const;  // 0 and up

  // Refuses members other than `known`: one that this layer does not know may change the ids.
  Result<void> Allow(std::initializer_list<std::string_view> known) const;
  // Refuse another value than `wanted`.
  Result<void> Require(std::string_view key, bool wanted, bool fallback) const;
  Result<void> RequireString(std::string_view key, std::string_view wanted) const;
  // A feature that must be off: absent, null or "".
  Result<void> RequireAbsent(std::string_view key) const;

 private:
  Component(const JsonValue& value, std::string where) : value_(&value), where_(std::move(where)) {}
  const JsonValue* value_;
  std::string where_;
};

}  // namespace dikast
