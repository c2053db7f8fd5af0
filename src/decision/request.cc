#include "base/quote.h"
#include "base/try.h"
#include "decision/python_text.h"
#include "decision/question.h"
#include "dikast/decision.h"

namespace dikast {
namespace {

Result<void> CheckState(const JsonValue* state, bool reference) {
  if (!state || state->IsNull()) {
    return Fail(ErrorCode::kRequest, "'state' is missing; send a string, an object or an array",
                "/state");
  }
  const bool text = state->AsString() || state->AsObject() || state->AsArray();
  if (text || reference) return {};
  return Fail(
      ErrorCode::kRequest,
      "'state' must be a string, an object or an array, got " + std::string(state->KindName()),
      "/state");
}

Result<void> CheckQuestions(const JsonValue* questions, bool reference) {
  if (!questions || !questions->AsObject()) {
    return Fail(ErrorCode::kRequest,
                "'questions' must be an object {id: question}, got " +
                    (questions ? std::string(questions->KindName()) : "none"),
                "/questions");
  }
  if (!questions->AsObject()->empty() || reference) return {};
  return Fail(ErrorCode::kRequest, "'questions' is empty; ask at least one question", "/questions");
}

Result<void> CheckId(const std::string& id, bool reference) {
  if (!(reference ? IsBlank(id) : id.empty())) return {};
  return Fail(ErrorCode::kRequest, "question id must be a non-empty string, got " + PythonRepr(id),
              PointerAppend("/questions", id));
}

Result<std::optional<OverLength>> ReadOverLength(const JsonValue* member) {
  if (!member || member->IsNull()) return std::nullopt;
  const std::string* text = member->AsString();
  if (text && *text == "reject") return OverLength::kReject;
  if (text && *text == "truncate") return OverLength::kTruncate;
  if (text && *text == "window") return OverLength::kWindow;
  return Fail(ErrorCode::kRequest,
              "'over_length' must be reject, truncate or window, got " +
                  (text ? PythonRepr(*text) : std::string(member->KindName())),
              "/over_length");
}

Result<std::optional<uint32_t>> ReadOrders(const JsonValue* member) {
  if (!member || member->IsNull()) return std::nullopt;
  const JsonNumber* number = member->AsNumber();
  const std::optional<int64_t> orders = number ? number->ToInteger() : std::nullopt;
  if (orders && *orders >= 1 && *orders <= kMostOrders) return static_cast<uint32_t>(*orders);
  return Fail(ErrorCode::kRequest,
              "'orders' must be an integer from 1 to " + std::to_string(kMostOrders) + ", got " +
                  (number ? Describe(*member) : std::string(member->KindName())),
              "/orders");
}

// Moves the largest part of a request instead of copying it.
JsonValue TakeMember(JsonValue object, std::string_view key) {
  for (JsonMember& member : std::get<JsonObject>(object.value)) {
    if (member.key == key) return std::move(member.value);
  }
  return {};
}

Result<void> RefuseImages(const JsonValue& json) {
  if (!json.Find("assets")) return {};
  return Fail(ErrorCode::kRequest, "'assets': an image cannot be read; send text", "/assets");
}

}  // namespace

Result<Request> ParseRequest(std::string_view json, const DecideOptions& options) {
  const auto dialect = options.reference ? JsonDialect::kReference : JsonDialect::kStrict;
  DIKAST_TRY(JsonValue value, ParseJson(json, dialect));
  return ParseRequest(std::move(value), options);
}

Result<Request> ParseRequest(JsonValue json, const DecideOptions& options) {
  if (!json.AsObject()) {
    return Fail(ErrorCode::kRequest,
                "a request must be an object {\"state\": ..., \"questions\": {...}}, got " +
                    std::string(json.KindName()));
  }
  const JsonValue* state = json.Find("state");
  const JsonValue* questions = json.Find("questions");
  DIKAST_CHECK_OK(CheckState(state, options.reference));
  DIKAST_CHECK_OK(CheckQuestions(questions, options.reference));

  Request request;
  if (!options.reference) {
    DIKAST_CHECK_OK(RefuseImages(json));
    DIKAST_TRY(request.over_length, ReadOverLength(json.Find("over_length")));
    DIKAST_TRY(request.orders, ReadOrders(json.Find("orders")));
  }
  for (const JsonMember& member : *questions->AsObject()) {
    DIKAST_CHECK_OK(CheckId(member.key, options.reference));
    DIKAST_TRY(Question question, ParseQuestion(member.key, member.value, options.reference));
    request.questions.push_back(std::move(question));
  }
  request.state = TakeMember(std::move(json), "state");
  return request;
}

}  // namespace dikast
