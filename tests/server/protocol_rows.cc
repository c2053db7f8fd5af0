#include "tests/server/protocol_rows.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/json_writer.h"

namespace dikast::test {
namespace {

std::string Text(const JsonValue& value) { return JsonWriter().Value(value).Take(); }

std::string Unescape(std::string token) {
  for (const auto& [from, to] : {std::pair("~1", "/"), std::pair("~0", "~")}) {
    for (size_t at = 0; (at = token.find(from, at)) != token.npos; ++at) token.replace(at, 2, to);
  }
  return token;
}

bool Holds(const JsonValue& expected, const JsonValue* found) {
  const std::string* pattern = expected.AsString();
  if (pattern && *pattern == "-") return !found;
  if (!found) return false;
  if (pattern && *pattern == "#") return found->AsNumber();
  if (pattern && pattern->starts_with("~")) {
    return found->AsString() && found->AsString()->find(pattern->substr(1)) != std::string::npos;
  }
  return Text(expected) == Text(*found);
}

}  // namespace

std::vector<ProtocolRow> ReadProtocolRows(const std::string& file) {
  std::vector<ProtocolRow> rows;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    Result<JsonValue> row = ParseJson(line);
    const bool whole = row && row->Find("name") && row->Find("route") && row->Find("status");
    if (!whole) {
      std::fprintf(stderr, "%s: row %zu is no row\n", file.c_str(), rows.size() + 1);
      std::abort();
    }
    const JsonValue* server = row->Find("server");
    rows.push_back({*row->Find("name")->AsString(), server ? *server->AsString() : "plain", *row});
  }
  return rows;
}

const JsonValue* FindAt(const JsonValue& value, const std::string& pointer) {
  const JsonValue* found = &value;
  for (size_t begin = 0; found && begin < pointer.size();) {
    const size_t end = std::min(pointer.find('/', begin + 1), pointer.size());
    const std::string token = Unescape(pointer.substr(begin + 1, end - begin - 1));
    if (const JsonArray* array = found->AsArray()) {
      const size_t index = std::strtoul(token.c_str(), nullptr, 10);
      found = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      found = found->Find(token);
    }
    begin = end;
  }
  return found;
}

std::string Mismatch(const JsonValue& at, const JsonValue& answer) {
  for (const JsonMember& member : *at.AsObject()) {
    const JsonValue* found = FindAt(answer, member.key);
    if (Holds(member.value, found)) continue;
    return "at '" + member.key + "': expected " + Text(member.value) + ", found " +
           (found ? Text(*found) : "nothing");
  }
  return {};
}

}  // namespace dikast::test
