#include "base/json_writer.h"
#include "decision/question.h"
#include "dikast/format.h"

namespace dikast {
namespace {

// The name that the reference gives to every checkpoint.
constexpr std::string_view kLayaModel = "laya-rl-agent";

void WriteRounded(std::string_view key, double value, JsonWriter& json) {
  json.Key(key).Number(RoundTo4(value));
}

// A label keeps its type; a number is spelled as Python does (1e2 is 100.0, 1e400 Infinity), which
// is also its key among the probabilities.
void WriteLabel(const Option& option, JsonWriter& json) {
  json.Key("choice");
  if (option.label.AsString()) {
    json.String(option.name);
  } else {
    json.Raw(option.name);
  }
}

void WriteProbabilities(const Question& question, const Answer& answer, JsonWriter& json) {
  json.Key("probabilities").BeginObject();
  for (size_t i = 0; i < question.options.size(); ++i) {
    WriteRounded(question.options[i].name, answer.probabilities[i], json);
  }
  json.EndObject();
}

void WriteLegend(const Question& question, JsonWriter& json) {
  json.Key("legend").BeginObject();
  for (const Option& level : question.options) {
    json.Key(level.name).String(RenderText(level.criterion).value_or(""));
  }
  json.EndObject();
}

void WriteWindow(const Window& window, JsonWriter& json) {
  json.Key("window").BeginObject();
  json.Key("index").Integer(window.index);
  json.Key("token_start").Integer(window.token_start);
  json.Key("token_end").Integer(window.token_end);
  json.Key("count").Integer(window.count).EndObject();
}

void WriteAnswer(const Question& question, const Answer& answer, JsonWriter& json) {
  json.BeginObject().Key("type").String(QuestionTypeName(answer.type));
  switch (answer.type) {
    case QuestionType::kChoice:
      WriteLabel(question.options[answer.best], json);
      WriteProbabilities(question, answer, json);
      break;
    case QuestionType::kScore:
      WriteRounded("score", answer.score, json);
      WriteLegend(question, json);
      WriteProbabilities(question, answer, json);
      break;
    case QuestionType::kNoul:
      WriteRounded("noul", answer.score, json);
      break;
  }
  WriteRounded("confidence", answer.entropy_confidence, json);
  WriteRounded("answer_confidence", answer.probabilities[answer.best], json);
  json.Key("action").BeginObject();
  WriteRounded("act_probability", answer.act_probability, json);
  json.EndObject();
  if (answer.window) WriteWindow(*answer.window, json);
  json.EndObject();
}

// Only the questions whose options lost their difference; absent when none did.
void WriteCollapsed(const Request& request, const Response& response, JsonWriter& json) {
  bool open = false;
  for (size_t i = 0; i < request.questions.size(); ++i) {
    const CutReport& cuts = response.plans[i].cuts;
    const size_t total = request.questions[i].options.size();
    if (cuts.distinct_options >= total) continue;
    if (!open) json.Key("options").BeginObject();
    open = true;
    json.Key(request.questions[i].id).BeginObject();
    json.Key("total").Integer(static_cast<int64_t>(total));
    json.Key("distinct").Integer(cuts.distinct_options).Key("tokens_per_option");
    if (cuts.tokens_per_option) {
      json.Integer(*cuts.tokens_per_option);
    } else {
      json.Null();
    }
    json.EndObject();
  }
  if (open) json.EndObject();
}

void WriteTruncation(const Usage& usage, JsonWriter& json) {
  json.Key("state_tokens").Integer(static_cast<int64_t>(usage.state_tokens));
  json.Key("state_tokens_dropped").Integer(static_cast<int64_t>(usage.state_tokens_dropped));
  json.Key("truncated");
  if (usage.windows.value_or(1) > 1) {
    json.Integer(static_cast<int64_t>(usage.truncated));  // the reference sums its booleans
  } else {
    json.Bool(usage.truncated > 0);
  }
  json.Key("truncated_questions").BeginArray();
  for (const std::string& id : usage.truncated_questions) json.String(id);
  json.EndArray();
}

void WriteUsage(const Request& request, const Response& response, JsonWriter& json) {
  const Usage& usage = response.usage;
  json.Key("usage").BeginObject();
  json.Key("input_tokens").Integer(static_cast<int64_t>(usage.input_tokens));
  json.Key("output_tokens").Integer(0);
  if (!request.questions.empty()) {
    WriteTruncation(usage, json);
    WriteCollapsed(request, response, json);
  }
  if (usage.windows) json.Key("windows").Integer(static_cast<int64_t>(*usage.windows));
  json.EndObject();
}

}  // namespace

std::string FormatLaya(const Request& request, const Response& response, bool details) {
  JsonWriter json;
  json.BeginObject().Key("model").String(kLayaModel).Key("answers").BeginObject();
  for (size_t i = 0; i < request.questions.size(); ++i) {
    json.Key(request.questions[i].id);
    WriteAnswer(request.questions[i], response.answers[i], json);
  }
  json.EndObject();
  WriteUsage(request, response, json);
  if (details) json.Key("x_details").Raw(FormatDetails(request, response));
  return json.EndObject().Take();
}

}  // namespace dikast
