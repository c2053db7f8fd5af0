#include "text/json_component.h"

#include <algorithm>
#include <optional>

#include "base/try.h"
#include "text/utf8.h"

namespace dikast {
namespace {

std::string Join(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

}  // namespace

std::string Quoted(std::string_view text) {
  constexpr size_t kMost = 100;
  std::string quoted = "\"";
  for (const char *p = text.data(), *end = p + text.size(); p != end;) {
    if (quoted.size() > kMost) return quoted + "...\"";
    const char32_t c = NextCodePoint(p);
    AppendUtf8(c < 0x20 || c == 0x7F ? kReplacementCharacter : c, quoted);
  }
  return quoted + "\"";
}

Result<Component> Component::Of(const JsonValue& value, std::string where) {
  if (value.AsObject()) return Component(value, std::move(where));
  return Refuse(where.empty() ? "the file" : where, " is ", value.KindName(), ", not an object");
}

Result<Component> Component::Open(std::string_view key) const {
  const JsonValue* member = Find(key);
  if (!member) return Refuse(Where(key), " is missing");
  return Of(*member, Where(key));
}

Result<std::vector<Component>> Component::OpenSequence(
    std::string_view key, std::initializer_list<std::string_view> types) const {
  DIKAST_CHECK_OK(Allow({"type", key}));
  const JsonValue* list = Find(key);
  if (!list || !list->AsArray()) return Refuse(Where(key), " is not an array");
  std::vector<Component> parts;
  std::vector<std::string> found;
  for (const JsonValue& item : *list->AsArray()) {
    const std::string index = "[" + std::to_string(parts.size()) + "]";
    DIKAST_TRY(Component part, Of(item, Where(key) + index));
    DIKAST_TRY(std::string type, part.String("type"));
    parts.push_back(std::move(part));
    found.push_back(std::move(type));
  }
  if (std::ranges::equal(found, types)) return parts;
  return Refuse(where_, " Sequence of ", Quoted(Join(found)), " is not supported, only of ",
                Quoted(Join({types.begin(), types.end()})));
}

std::string Component::Where(std::string_view key) const {
  return (where_.empty() ? "" : where_ + ".").append(key);
}

const JsonValue* Component::Find(std::string_view key) const {
  const JsonValue* member = value_->Find(key);
  return member && !member->IsNull() ? member : nullptr;
}

Result<std::string> Component::String(std::string_view key) const {
  const JsonValue* member = Find(key);
  if (!member) return Refuse(Where(key), " is missing");
  if (member->AsString()) return *member->AsString();
  return Refuse(Where(key), " is ", member->KindName(), ", not a string");
}

Result<bool> Component::Bool(std::string_view key, bool fallback) const {
  const JsonValue* member = Find(key);
  if (!member) return fallback;
  if (member->AsBool()) return *member->AsBool();
  return Refuse(Where(key), " is ", member->KindName(), ", not true or false");
}

Result<int32_t> Component::Integer(std::string_view key) const {
  const JsonValue* member = Find(key);
  const JsonNumber* number = member ? member->AsNumber() : nullptr;
  const std::optional<int64_t> value = number ? number->ToInteger() : std::nullopt;
  if (value && *value >= 0 && *value <= INT32_MAX) return static_cast<int32_t>(*value);
  return Refuse(Where(key), " is not an integer from 0 to 2147483647");
}

Result<void> Component::Allow(std::initializer_list<std::string_view> known) const {
  for (const JsonMember& member : *value_->AsObject()) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    return Refuse("member ", Quoted(member.key), " of ", where_.empty() ? "the file" : where_,
                  " is not supported");
  }
  return {};
}

Result<void> Component::Require(std::string_view key, bool wanted, bool fallback) const {
  DIKAST_TRY(const bool value, Bool(key, fallback));
  if (value == wanted) return {};
  return Refuse(Where(key), value ? " true" : " false", " is not supported");
}

Result<void> Component::RequireString(std::string_view key, std::string_view wanted) const {
  DIKAST_TRY(const std::string value, String(key));
  if (value == wanted) return {};
  return Refuse(Where(key), " ", Quoted(value), " is not supported, only ", Quoted(wanted));
}

Result<void> Component::RequireAbsent(std::string_view key) const {
  const JsonValue* member = Find(key);
  if (!member || (member->AsString() && member->AsString()->empty())) return {};
  return Refuse(Where(key), " is not supported");
}

}  // namespace dikast
