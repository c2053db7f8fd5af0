#include "tests/errors/json_edit.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>

namespace dikast::test {
namespace {

[[noreturn]] void NoSuchPlace(std::string_view pointer) {
  throw std::runtime_error("no such place: " + std::string(pointer));
}

// The inverse of PointerAppend: "~1" is "/", "~0" is "~".
std::string Unescape(std::string_view token) {
  std::string text;
  for (size_t i = 0; i < token.size(); ++i) {
    const bool escaped = token[i] == '~' && i + 1 < token.size();
    text += !escaped ? token[i] : token[++i] == '1' ? '/' : '~';
  }
  return text;
}

const JsonValue* Child(const JsonValue& parent, const std::string& token) {
  const JsonArray* items = parent.AsArray();
  if (!items) return parent.Find(token);
  size_t index = 0;
  const auto parsed = std::from_chars(token.data(), token.data() + token.size(), index);
  return parsed.ec == std::errc() && index < items->size() ? &(*items)[index] : nullptr;
}

// The value that holds the last token, which is left in `last`.
JsonValue& Parent(JsonValue& root, std::string_view pointer, std::string& last) {
  const size_t slash = pointer.rfind('/');
  if (slash == pointer.npos) NoSuchPlace(pointer);
  last = Unescape(pointer.substr(slash + 1));
  const JsonValue* parent = FindAt(root, pointer.substr(0, slash));
  if (!parent) NoSuchPlace(pointer);
  return const_cast<JsonValue&>(*parent);  // a part of `root`, which may change
}

JsonValue* Child(JsonValue& parent, const std::string& token) {
  return const_cast<JsonValue*>(Child(std::as_const(parent), token));
}

}  // namespace

void SetAt(JsonValue& root, std::string_view pointer, JsonValue value) {
  std::string last;
  JsonValue& parent = Parent(root, pointer, last);
  if (JsonValue* child = Child(parent, last)) {
    *child = std::move(value);
  } else if (auto* members = std::get_if<JsonObject>(&parent.value)) {
    members->push_back({last, std::move(value)});
  } else if (auto* items = std::get_if<JsonArray>(&parent.value); items && last == "-") {
    items->push_back(std::move(value));
  } else {
    NoSuchPlace(pointer);
  }
}

void DeleteAt(JsonValue& root, std::string_view pointer) {
  std::string last;
  JsonValue& parent = Parent(root, pointer, last);
  const JsonValue* child = Child(parent, last);
  if (!child) NoSuchPlace(pointer);
  if (auto* members = std::get_if<JsonObject>(&parent.value)) {
    std::erase_if(*members, [&](const JsonMember& member) { return member.key == last; });
  } else {
    auto& items = std::get<JsonArray>(parent.value);
    items.erase(items.begin() + (child - items.data()));
  }
}

const JsonValue* FindAt(const JsonValue& root, std::string_view pointer) {
  const JsonValue* value = &root;
  while (value && !pointer.empty()) {
    const size_t end = std::min(pointer.find('/', 1), pointer.size());
    value = Child(*value, Unescape(pointer.substr(1, end - 1)));
    pointer.remove_prefix(end);
  }
  return value;
}

}  // namespace dikast::test
