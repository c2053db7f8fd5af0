#include "server/openai_input.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/try.h"
#include "server/request_reader.h"

namespace dikast::server {
namespace {

using Names = std::initializer_list<std::string_view>;

std::string Join(Names names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// One of `names`, by its place. Errors: what was found is no secret, but it may be long.
tl::expected<std::string, Fault> ReadName(const JsonValue& object, std::string_view key,
                                          Names names, const std::string& path) {
  DIKAST_TRY(std::string name, ReadText(object, key, path));
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  return Invalid("invalid_value", "'" + std::string(key) + "' must be one of " + Join(names),
                 PointerAppend(path, key));
}

tl::expected<void, Fault> WantObject(const JsonValue& value, std::string_view what,
                                     const std::string& path) {
  if (value.AsObject()) return {};
  return Invalid("invalid_type",
                 std::string(what) + " must be an object, got " + std::string(value.KindName()),
                 path);
}

// An object, or an array of objects.
tl::expected<JsonValue, Fault> ReadData(JsonValue part, const std::string& path) {
  const bool missing = !part.Find("data");
  JsonValue data = Take(part, "data");
  const JsonArray* array = data.AsArray();
  const bool objects = array && std::all_of(array->begin(), array->end(),
                                            [](const JsonValue& v) { return v.AsObject(); });
  if (data.AsObject() || objects) return data;
  return Invalid(missing ? "missing_required_parameter" : "invalid_type",
                 "'data' must be an object or an array of objects" +
                     std::string(missing ? ", and is missing" : ""),
                 path + "/data");
}

// The value of one part; `kinds` are the types of part that may stand there.
tl::expected<JsonValue, Fault> ReadPart(JsonValue part, Names kinds, const std::string& path) {
  DIKAST_CHECK_OK(WantObject(part, "a part", path));
  const JsonValue* type = part.Find("type");
  if (type && type->AsString() && *type->AsString() == "input_image") {
    return Invalid("unsupported_image", "an image cannot be read; send text or JSON", path);
  }
  DIKAST_TRY(const std::string kind, ReadName(part, "type", kinds, path));
  if (kind == "input_json") return ReadData(std::move(part), path);
  DIKAST_TRY(std::string text, ReadText(part, kind == "refusal" ? "refusal" : "text", path));
  return JsonValue{std::move(text)};
}

JsonValue JoinParts(JsonArray parts) {
  if (parts.size() == 1) return std::move(parts.front());
  const bool texts = std::all_of(parts.begin(), parts.end(),
                                 [](const JsonValue& part) { return part.AsString(); });
  if (!texts) return {std::move(parts)};
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i ? "\n" : "") + *parts[i].AsString();
  return {std::move(text)};
}

// A text, or an array of parts.
tl::expected<JsonValue, Fault> ReadContent(JsonValue content, Names kinds,
                                           const std::string& path) {
  if (content.AsString()) return content;
  if (!content.AsArray()) {
    return Invalid("invalid_type",
                   "a text or an array of parts is needed, got " + std::string(content.KindName()),
                   path);
  }
  JsonArray values;
  for (JsonValue& part : std::get<JsonArray>(content.value)) {
    DIKAST_TRY(JsonValue value,
               ReadPart(std::move(part), kinds, PointerAppend(path, values.size())));
    values.push_back(std::move(value));
  }
  return JoinParts(std::move(values));
}

class ItemReader {
 public:
  tl::expected<JsonValue, Fault> Read(JsonValue item, const std::string& path) {
    DIKAST_CHECK_OK(WantObject(item, "an item", path));
    if (!item.Find("type")) return ReadMessage(std::move(item), path);
    DIKAST_TRY(const std::string type, ReadName(item, "type",
                                                {"message", "function_call", "function_call_output",
                                                 "custom_tool_call", "custom_tool_call_output"},
                                                path));
    if (type == "message") return ReadMessage(std::move(item), path);
    if (type.ends_with("_output")) return ReadOutput(std::move(item), type, path);
    return ReadCall(item, type, path);
  }

 private:
  static tl::expected<JsonValue, Fault> ReadMessage(JsonValue item, const std::string& path) {
    DIKAST_TRY(std::string role,
               ReadName(item, "role", {"user", "developer", "system", "assistant"}, path));
    const bool missing = !item.Find("content");
    if (missing) {
      return Invalid("missing_required_parameter", "'content' is missing", path + "/content");
    }
    const std::string at = path + "/content";
    JsonValue sent = Take(item, "content");
    DIKAST_TRY(JsonValue content,
               role == "user" ? ReadContent(std::move(sent), {"input_text", "input_json"}, at)
               : role == "assistant" ? ReadContent(std::move(sent), {"output_text", "refusal"}, at)
                                     : ReadContent(std::move(sent), {"input_text"}, at));
    JsonObject message;
    message.push_back({"role", {std::move(role)}});
    message.push_back({"content", std::move(content)});
    return JsonValue{std::move(message)};
  }

  tl::expected<JsonValue, Fault> ReadCall(const JsonValue& item, const std::string& type,
                                          const std::string& path) {
    const std::string member = type == "function_call" ? "arguments" : "input";
    JsonObject call;
    call.push_back({"type", {type}});
    for (const std::string& key : {std::string("call_id"), std::string("name"), member}) {
      DIKAST_TRY(std::string text, ReadText(item, key, path));
      if (key == "call_id") calls_.insert(type + text);
      call.push_back({key, {std::move(text)}});
    }
    return JsonValue{std::move(call)};
  }

  tl::expected<JsonValue, Fault> ReadOutput(JsonValue item, const std::string& type,
                                            const std::string& path) {
    DIKAST_TRY(std::string call, ReadText(item, "call_id", path));
    const std::string_view of = std::string_view(type).substr(0, type.size() - 7);
    if (!calls_.contains(std::string(of) + call)) {
      return Invalid("invalid_value",
                     "no " + std::string(of) + " with this call_id stands before its output",
                     path + "/call_id");
    }
    if (!item.Find("output")) {
      return Invalid("missing_required_parameter", "'output' is missing", path + "/output");
    }
    DIKAST_TRY(JsonValue value,
               ReadContent(Take(item, "output"), {"input_text"}, path + "/output"));
    JsonObject output;
    output.push_back({"type", {type}});
    output.push_back({"call_id", {std::move(call)}});
    output.push_back({"output", std::move(value)});
    return JsonValue{std::move(output)};
  }

  std::unordered_set<std::string> calls_;  // kind and id of the calls so far
};

bool IsUserMessage(const JsonValue& item) {
  const JsonValue* role = item.Find("role");
  return role && role->AsString() && *role->AsString() == "user";
}

}  // namespace

tl::expected<JsonValue, Fault> ReadInput(JsonValue input) {
  if (input.AsString()) return input;
  if (!input.AsArray()) {
    return Invalid(
        "invalid_type",
        "'input' must be a string or an array of items, got " + std::string(input.KindName()),
        "/input");
  }
  ItemReader reader;
  JsonArray items;
  for (JsonValue& item : std::get<JsonArray>(input.value)) {
    DIKAST_TRY(JsonValue read, reader.Read(std::move(item), PointerAppend("/input", items.size())));
    items.push_back(std::move(read));
  }
  if (items.size() == 1 && IsUserMessage(items.front())) return Take(items.front(), "content");
  return JsonValue{std::move(items)};
}

tl::expected<JsonValue, Fault> ReadInstructions(JsonValue value, const std::string& path) {
  return ReadContent(std::move(value), {"input_text", "input_json"}, path);
}

tl::unexpected<Fault> Invalid(std::string code, std::string message, std::string path) {
  return tl::unexpected(Fault{.status = 400,
                              .type = std::move(code),
                              .message = std::move(message),
                              .path = std::move(path)});
}

tl::expected<std::string, Fault> ReadText(const JsonValue& object, std::string_view key,
                                          const std::string& path) {
  const JsonValue* member = object.Find(key);
  const std::string name = "'" + std::string(key) + "'";
  const std::string at = PointerAppend(path, key);
  if (!member) return Invalid("missing_required_parameter", name + " is missing", at);
  if (const std::string* text = member->AsString()) return *text;
  return Invalid("invalid_type", name + " must be a string, got " + std::string(member->KindName()),
                 at);
}

}  // namespace dikast::server
