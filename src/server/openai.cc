// An OpenAI decision: questions as an array, typed choice values. protocols.md, section 3.
#include "server/openai.h"

#include <string_view>
#include <utility>
#include <variant>

#include "base/json_writer.h"
#include "base/try.h"
#include "server/openai_input.h"
#include "server/openai_question.h"
#include "server/request_reader.h"

namespace dikast::server {
namespace {

void WriteProbabilities(const AskedQuestion& asked, const Answer& answer, JsonWriter& json) {
  json.Key("confidence").Number(answer.confidence).Key("probabilities").BeginArray();
  for (size_t i = 0; i < asked.labels.size(); ++i) {
    json.BeginObject().Key("value");
    if (answer.type == QuestionType::kScore) {
      json.Integer(static_cast<int64_t>(i)).Key("label");
    }
    json.Value(asked.labels[i]).Key("probability").Number(answer.probabilities[i]).EndObject();
  }
  json.EndArray();
}

void WriteAnswer(const AskedQuestion& asked, const Answer& answer, JsonWriter& json) {
  constexpr std::string_view kTypes[] = {"choice", "score", "predicate"};  // by QuestionType
  json.BeginObject().Key("type").String(kTypes[static_cast<size_t>(answer.type)]).Key("name");
  asked.name ? json.String(*asked.name) : json.Null();
  switch (answer.type) {
    case QuestionType::kNoul:
      json.Key("probability").Number(answer.score);
      break;
    case QuestionType::kChoice:
      json.Key("choice").Value(asked.labels[answer.best]);
      WriteProbabilities(asked, answer, json);
      break;
    case QuestionType::kScore:
      json.Key("score").Number(answer.score);
      WriteProbabilities(asked, answer, json);
      break;
  }
  json.EndObject();
}

// The whole object: the official SDK's tool runner wants all six counts.
void WriteUsage(const Usage& usage, JsonWriter& json) {
  const auto tokens = static_cast<int64_t>(usage.input_tokens);
  json.Key("usage").BeginObject().Key("input_tokens").Integer(tokens);
  json.Key("input_tokens_details").BeginObject().Key("cached_tokens").Integer(0);
  json.Key("cache_write_tokens").Integer(0).EndObject();
  json.Key("output_tokens").Integer(0);
  json.Key("output_tokens_details").BeginObject().Key("reasoning_tokens").Integer(0).EndObject();
  json.Key("total_tokens").Integer(tokens).EndObject();
}

class OpenAiCall : public Call {
 public:
  explicit OpenAiCall(const CallContext& context) : context_(context) {}

  tl::expected<std::vector<Request>, Fault> Read(JsonValue body) override {
    DIKAST_CHECK_OK(RefuseStream(body));
    DIKAST_TRY(JsonObject questions, ReadQuestions(body));
    if (!body.Find("input")) {
      return Invalid("missing_required_parameter", "'input' is missing", "/input");
    }
    DIKAST_TRY(JsonValue state, ReadInput(Take(body, "input")));
    DIKAST_TRY(const std::string model, ReadText(body, "model", ""));
    DIKAST_CHECK_OK(context_.names.Check(body.Find("model")));
    tl::expected<Request, Fault> request =
        MakeRequest(std::move(state), std::move(questions), body.Find("over_length"), context_);
    if (!request) return tl::unexpected(Placed(std::move(request.error())));
    return One(*std::move(request));
  }

  tl::expected<std::string, Fault> Write(const Completion& completion) override {
    const Result<Response>& response = completion.responses.front();
    if (!response) return tl::unexpected(Placed(ToFault(response.error(), 1)));
    JsonWriter json;
    json.BeginObject().Key("answers").BeginArray();
    for (size_t i = 0; i < asked_.size(); ++i) WriteAnswer(asked_[i], response->answers[i], json);
    json.EndArray().Key("model").String(response->model);
    WriteUsage(response->usage, json);
    return json.EndObject().Take();
  }

  HttpResponse WriteFault(const Fault& fault) const override {
    Fault translated = fault;
    if (fault.status == 422) {
      translated.status = 400;
      translated.type = fault.type == "too_long" ? "array_above_max_length" : "invalid_value";
    } else if (fault.type == "max_tokens_exceeded") {
      translated.status = 400;
      translated.type = "context_length_exceeded";
    } else if (fault.type == "api_usage_error") {
      translated.status = 404;
      translated.type = "model_not_found";
    }
    return OpenAiFault(translated);
  }

 private:
  Fault Placed(Fault fault) const {
    fault.path = ListedPath(fault.path, ids_, "/input");
    return fault;
  }

  // A client that waits for events would wait for ever.
  static tl::expected<void, Fault> RefuseStream(const JsonValue& body) {
    const JsonValue* stream = body.Find("stream");
    if (!stream || !stream->AsBool() || !*stream->AsBool()) return {};
    return Invalid("unsupported_parameter", "a decision is answered at once; leave 'stream' out",
                   "/stream");
  }

  tl::expected<JsonObject, Fault> ReadQuestions(JsonValue& body) {
    const bool missing = !body.Find("questions");
    JsonValue sent = Take(body, "questions");
    if (!sent.AsArray()) {
      return Invalid(missing ? "missing_required_parameter" : "invalid_type",
                     "'questions' must be an array beside 'input', got " +
                         (missing ? "none" : std::string(sent.KindName())),
                     "/questions");
    }
    JsonArray& array = std::get<JsonArray>(sent.value);
    if (array.empty()) {
      return Invalid("array_below_min_length", "'questions' is empty; ask at least one",
                     "/questions");
    }
    DIKAST_CHECK_OK(
        CheckCount(array.size(), "questions", &ServerLimits::questions, context_, "/questions"));
    JsonObject questions;
    for (size_t i = 0; i < array.size(); ++i) {
      AskedQuestion& asked = asked_.emplace_back();
      DIKAST_TRY(
          JsonValue question,
          ReadOpenAiQuestion(std::move(array[i]), PointerAppend("/questions", i), context_, asked));
      ids_.push_back(std::to_string(i));  // not the name: several questions may have the same
      questions.push_back({ids_.back(), std::move(question)});
    }
    return questions;
  }

  const CallContext& context_;
  std::vector<AskedQuestion> asked_;
  std::vector<std::string> ids_;  // what messages call the questions
};

}  // namespace

bool IsOpenAi(const JsonValue& body) {
  const JsonValue* questions = body.Find("questions");
  return body.Find("input") || (questions && questions->AsArray());
}

std::unique_ptr<Call> MakeOpenAiCall(const CallContext& context) {
  return std::make_unique<OpenAiCall>(context);
}

}  // namespace dikast::server
