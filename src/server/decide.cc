// POST /decide: choices and binary questions as an array. protocols.md, section 6.
#include <algorithm>
#include <chrono>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/json_writer.h"
#include "base/try.h"
#include "dikast/format.h"
#include "server/request_reader.h"

namespace dikast::server {
namespace {

constexpr std::string_view kMembers[] = {"id", "type", "question", "options", "positive_id"};

// The question in System One's form, and which option of a binary one is the positive.
class QuestionReader {
 public:
  QuestionReader(const JsonValue& sent, std::string path, const CallContext& context)
      : sent_(sent), path_(std::move(path)), context_(context) {}

  tl::expected<JsonMember, Fault> Read(std::optional<size_t>& positive) const {
    if (!sent_.AsObject()) {
      return Refuse("dict_type",
                    "a question must be an object, got " + std::string(sent_.KindName()), path_);
    }
    DIKAST_CHECK_OK(RefuseUnknown());
    DIKAST_TRY(std::string id, ReadString(sent_, "id", path_));
    if (id.empty()) return Refuse("value_error", "'id' is empty", path_ + "/id");
    DIKAST_TRY(const std::string type, ReadString(sent_, "type", path_));
    if (type != "choice" && type != "binary") {
      return Refuse("union_tag_invalid", "'type' must be choice or binary", path_ + "/type");
    }
    DIKAST_TRY(std::string text, ReadString(sent_, "question", path_));
    DIKAST_TRY(JsonObject options, ReadOptions());
    DIKAST_TRY(positive, ReadPositive(type == "binary", options));
    JsonObject question;
    question.push_back({"type", {std::string("choice")}});
    question.push_back({"instructions", {std::move(text)}});
    question.push_back({"criteria", {std::move(options)}});
    return JsonMember{std::move(id), {std::move(question)}};
  }

 private:
  tl::expected<void, Fault> RefuseUnknown() const {
    for (const JsonMember& member : *sent_.AsObject()) {
      const bool known =
          std::find(std::begin(kMembers), std::end(kMembers), member.key) != std::end(kMembers);
      if (known || member.key.starts_with("x_")) continue;
      return Refuse("extra_forbidden",
                    "a question takes id, type, question, options and positive_id",
                    PointerAppend(path_, member.key));
    }
    return {};
  }

  tl::expected<JsonObject, Fault> ReadOptions() const {
    const JsonValue* sent = sent_.Find("options");
    const std::string path = path_ + "/options";
    if (!sent || !sent->AsArray()) {
      return Refuse(sent ? "list_type" : "missing",
                    "'options' must be an array of {\"id\", \"description\"}, got " +
                        (sent ? std::string(sent->KindName()) : "none"),
                    path);
    }
    if (sent->AsArray()->empty()) return Refuse("too_short", "'options' is empty", path);
    DIKAST_CHECK_OK(
        CheckCount(sent->AsArray()->size(), "options", &ServerLimits::options, context_, path));
    JsonObject options;
    for (const JsonValue& option : *sent->AsArray()) {
      const std::string at = PointerAppend(path, options.size());
      DIKAST_TRY(std::string id, ReadString(option, "id", at));
      if (IndexOf(options, id)) {
        return Refuse("value_error", "this id is already among the options", at + "/id");
      }
      const JsonValue* description = option.Find("description");
      JsonMember member{std::move(id), {}};
      if (description && !description->IsNull()) {
        DIKAST_TRY(std::string text, ReadString(option, "description", at));
        member.value = {std::move(text)};
      }
      options.push_back(std::move(member));
    }
    return options;
  }

  tl::expected<std::optional<size_t>, Fault> ReadPositive(bool binary,
                                                          const JsonObject& options) const {
    const std::string path = path_ + "/positive_id";
    if (!binary) {
      const JsonValue* given = sent_.Find("positive_id");
      if (!given || given->IsNull()) return std::nullopt;
      return Refuse("extra_forbidden", "'positive_id' is only for a binary question", path);
    }
    if (options.size() != 2) {
      return Refuse("value_error",
                    "a binary question has two options, got " + std::to_string(options.size()),
                    path_ + "/options");
    }
    DIKAST_TRY(const std::string id, ReadString(sent_, "positive_id", path_));
    if (const auto index = IndexOf(options, id)) return index;
    return Refuse("value_error", "'positive_id' must be the id of one of the two options", path);
  }

  static std::optional<size_t> IndexOf(const JsonObject& options, const std::string& id) {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const JsonMember& option) { return option.key == id; });
    if (found == options.end()) return std::nullopt;
    return static_cast<size_t>(found - options.begin());
  }

  const JsonValue& sent_;
  std::string path_;
  const CallContext& context_;
};

class DecideCall : public Call {
 public:
  explicit DecideCall(const CallContext& context) : context_(context) {}

  tl::expected<std::vector<Request>, Fault> Read(JsonValue body) override {
    if (!body.AsObject()) {
      return Refuse("dict_type",
                    "the body must be an object {\"state\": text, \"questions\": [...]}, got " +
                        std::string(body.KindName()),
                    "");
    }
    DIKAST_TRY(std::string state, ReadString(body, "state", ""));
    DIKAST_TRY(JsonObject questions, ReadQuestions(body));
    DIKAST_CHECK_OK(context_.names.Check(body.Find("model")));
    tl::expected<Request, Fault> request = MakeRequest(
        JsonValue{std::move(state)}, std::move(questions), body.Find("over_length"), context_);
    if (!request) return tl::unexpected(Placed(std::move(request.error())));
    return One(*std::move(request));
  }

  tl::expected<std::string, Fault> Write(const Completion& completion) override {
    const Request& request = completion.requests.front();
    const Result<Response>& response = completion.responses.front();
    if (!response) return tl::unexpected(Placed(ToFault(response.error(), 1)));
    JsonWriter json;
    json.BeginObject().Key("results").BeginArray();
    for (size_t i = 0; i < request.questions.size(); ++i) {
      WriteResult(i, request.questions[i], *response, json);
    }
    json.EndArray().Key("model").String(response->model);
    json.Key("model_revision").String(context_.model.revision);
    json.Key("artifact_sha256").String(context_.model.sha256);
    json.Key("protocol_sha256").String(context_.model.protocol_sha256);
    json.Key("device").String("cpu");
    const std::chrono::duration<double, std::milli> elapsed = Clock::now() - began_;
    return json.Key("elapsed_ms").Number(elapsed.count()).EndObject().Take();
  }

  HttpResponse WriteFault(const Fault& fault) const override { return SystemOneFault(fault); }

 private:
  using Clock = std::chrono::steady_clock;

  tl::expected<JsonObject, Fault> ReadQuestions(const JsonValue& body) {
    const JsonValue* sent = body.Find("questions");
    if (!sent || !sent->AsArray()) {
      return Refuse(
          sent ? "list_type" : "missing",
          "'questions' must be an array, got " + (sent ? std::string(sent->KindName()) : "none"),
          "/questions");
    }
    const JsonArray& array = *sent->AsArray();
    if (array.empty()) {
      return Refuse("too_short", "'questions' is empty; ask at least one question", "/questions");
    }
    DIKAST_CHECK_OK(
        CheckCount(array.size(), "questions", &ServerLimits::questions, context_, "/questions"));
    JsonObject questions;
    std::unordered_set<std::string> seen;
    for (size_t i = 0; i < array.size(); ++i) {
      const std::string at = PointerAppend("/questions", i);
      DIKAST_TRY(JsonMember question,
                 QuestionReader(array[i], at, context_).Read(positives_.emplace_back()));
      if (!seen.insert(question.key).second) {
        return Refuse("value_error", "this id is already among the questions", at + "/id");
      }
      ids_.push_back(question.key);
      questions.push_back(std::move(question));
    }
    return questions;
  }

  void WriteResult(size_t index, const Question& question, const Response& response,
                   JsonWriter& json) const {
    const Answer& answer = response.answers[index];
    const std::optional<size_t> positive = positives_[index];
    json.BeginObject().Key("id").String(question.id);
    json.Key("type").String(positive ? "binary" : "choice");
    json.Key("choice").String(question.options[answer.best].name);
    if (positive) json.Key("probability").Number(answer.probabilities[*positive]);
    json.Key("probabilities").BeginObject();
    for (size_t i = 0; i < question.options.size(); ++i) {
      json.Key(question.options[i].name).Number(answer.probabilities[i]);
    }
    json.EndObject().Key("input_tokens");
    json.Integer(static_cast<int64_t>(CountTokens(response.plans[index]))).EndObject();
  }

  // Clients look for these three words.
  Fault Placed(Fault fault) const {
    fault.path = ListedPath(fault.path, ids_, "/state");
    if (fault.type == "max_tokens_exceeded") {
      fault.message += "; the maximum context length is " +
                       std::to_string(context_.model.info.max_len) + " tokens";
    }
    return fault;
  }

  const CallContext& context_;
  Clock::time_point began_ = Clock::now();
  std::vector<std::optional<size_t>> positives_;  // by question; set for binary ones
  std::vector<std::string> ids_;
};

}  // namespace

std::unique_ptr<Call> MakeDecideCall(const CallContext& context) {
  return std::make_unique<DecideCall>(context);
}

}  // namespace dikast::server
