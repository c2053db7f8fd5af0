#include "server/request_reader.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "server/laya_options.h"

namespace dikast::server {
namespace {

std::string OptionName(uint64_t ServerLimits::*limit) {
  for (const LimitRow& row : LimitTable()) {
    if (row.value == limit) return std::string("--") + row.name;
  }
  return {};
}

// Before the questions are read: reading is work, and their texts are copied.
tl::expected<void, Fault> CheckCounts(const JsonValue& body, const CallContext& context,
                                      const std::string& path) {
  const JsonValue* questions = body.Find("questions");
  if (!questions || !questions->AsObject()) return {};
  const std::string at = path + "/questions";
  const JsonObject& members = *questions->AsObject();
  DIKAST_CHECK_OK(CheckCount(members.size(), "questions", &ServerLimits::questions, context, at));
  for (const JsonMember& member : members) {
    const JsonValue* criteria = member.value.Find("criteria");
    if (!criteria) continue;
    const size_t count = criteria->AsObject()  ? criteria->AsObject()->size()
                         : criteria->AsArray() ? criteria->AsArray()->size()
                                               : 0;
    DIKAST_CHECK_OK(CheckCount(count, "options", &ServerLimits::options, context,
                               PointerAppend(at, member.key) + "/criteria"));
  }
  return {};
}

// What FastAPI would call it.
std::string FaultType(const Error& error, bool has_state, bool has_questions) {
  if (error.path == "/state" && !has_state) return "missing";
  if (error.path == "/questions" && !has_questions) return "missing";
  const auto depth = std::count(error.path.begin(), error.path.end(), '/');
  return depth == 3 && error.path.ends_with("/type") ? "union_tag_invalid" : "value_error";
}

}  // namespace

tl::expected<void, Fault> CheckCount(size_t count, std::string_view what,
                                     uint64_t ServerLimits::*limit, const CallContext& context,
                                     std::string path) {
  const uint64_t most = context.options.limits.*limit;
  if (count <= most) return {};
  return Refuse("too_long",
                std::to_string(count) + " " + std::string(what) + "; this server reads at most " +
                    std::to_string(most) + " (" + OptionName(limit) + ")",
                std::move(path));
}

tl::expected<SystemOneRequest, Fault> ReadSystemOne(JsonValue body, const CallContext& context,
                                                    const std::string& path) {
  DIKAST_CHECK_OK(CheckCounts(body, context, path));
  DIKAST_CHECK_OK(CheckLayaOptions(body, context, path, false));
  DIKAST_TRY(const bool details, ReadDetails(body, path));
  const JsonValue model = Take(body, "model");
  const bool has_state = body.Find("state"), has_questions = body.Find("questions");
  Result<Request> request = ParseRequest(std::move(body), context.options.decide);
  if (!request) {
    Fault fault = ToFault(request.error(), 1);
    fault.type = FaultType(request.error(), has_state, has_questions);
    fault.path = path + fault.path;
    return tl::unexpected(std::move(fault));
  }
  if (tl::expected<void, Fault> known = context.names.Check(&model); !known) {
    known.error().path = path + known.error().path;
    return tl::unexpected(std::move(known.error()));
  }
  return SystemOneRequest{*std::move(request), details};
}

tl::expected<bool, Fault> ReadDetails(const JsonValue& body, const std::string& path) {
  const JsonValue* details = body.Find("x_details");
  if (!details || details->IsNull()) return false;
  if (const bool* wanted = details->AsBool()) return *wanted;
  return Refuse("bool_type",
                "'x_details' must be a boolean, got " + std::string(details->KindName()),
                path + "/x_details");
}

tl::expected<Request, Fault> MakeRequest(JsonValue state, JsonObject questions,
                                         const JsonValue* over_length, const CallContext& context) {
  JsonObject body;
  body.push_back({"state", std::move(state)});
  body.push_back({"questions", {std::move(questions)}});
  if (over_length) body.push_back({"over_length", *over_length});
  Result<Request> request = ParseRequest(JsonValue{std::move(body)}, context.options.decide);
  if (!request) return tl::unexpected(ToFault(request.error(), 1));
  return *std::move(request);
}

std::string ListedPath(std::string_view path, const std::vector<std::string>& ids,
                       std::string_view state) {
  if (path == "/state") return std::string(state);
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::string at = PointerAppend("/questions", ids[i]);
    if (path == at || path.starts_with(at + "/")) return PointerAppend("/questions", i);
  }
  return std::string(path);
}

JsonValue Take(JsonValue& object, std::string_view key) {
  if (!object.AsObject()) return {};
  for (JsonMember& member : std::get<JsonObject>(object.value)) {
    if (member.key == key) return std::exchange(member.value, {});
  }
  return {};
}

tl::expected<std::string, Fault> ReadString(const JsonValue& object, std::string_view key,
                                            std::string_view path) {
  const JsonValue* member = object.Find(key);
  const std::string name = "'" + std::string(key) + "'";
  if (!member) return Refuse("missing", name + " is missing", PointerAppend(path, key));
  if (const std::string* text = member->AsString()) return *text;
  return Refuse("string_type", name + " must be a string, got " + std::string(member->KindName()),
                PointerAppend(path, key));
}

tl::unexpected<Fault> Refuse(std::string type, std::string message, std::string path) {
  return tl::unexpected(Fault{.status = 422,
                              .type = std::move(type),
                              .message = std::move(message),
                              .path = std::move(path)});
}

}  // namespace dikast::server
