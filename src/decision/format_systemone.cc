#include "base/json_writer.h"
#include "decision/question.h"
#include "dikast/format.h"

namespace dikast {
namespace {

void WriteProbabilities(const Question& question, const Answer& answer, JsonWriter& json) {
  json.Key("probabilities").BeginObject();
  for (size_t i = 0; i < question.options.size(); ++i) {
    json.Key(question.options[i].name).Number(answer.probabilities[i]);
  }
  json.EndObject();
}

void WriteChoice(const Question& question, const Answer& answer, JsonWriter& json) {
  json.Key("choice").String(question.options[answer.best].name);
  json.Key("confidence").Number(answer.confidence);
  WriteProbabilities(question, answer, json);
}

// Levels as sent. A number or a boolean, which no client takes there, stands as the text that the
// model read.
void WriteLegend(const Question& question, JsonWriter& json) {
  json.Key("legend").BeginObject();
  for (const Option& level : question.options) {
    json.Key(level.name);
    if (level.criterion.AsObject() || level.criterion.AsArray()) {
      json.Value(level.criterion);
    } else {
      json.String(RenderText(level.criterion).value_or(""));
    }
  }
  json.EndObject();
}

void WriteScore(const Question& question, const Answer& answer, JsonWriter& json) {
  json.Key("score").Number(answer.score);
  json.Key("confidence").Number(answer.confidence);
  WriteLegend(question, json);
  WriteProbabilities(question, answer, json);
}

void WriteAnswer(const Question& question, const Answer& answer, JsonWriter& json) {
  json.BeginObject().Key("type").String(QuestionTypeName(answer.type));
  switch (answer.type) {
    case QuestionType::kChoice:
      WriteChoice(question, answer, json);
      break;
    case QuestionType::kScore:
      WriteScore(question, answer, json);
      break;
    case QuestionType::kNoul:
      json.Key("noul").Number(answer.score);
      break;
  }
  json.EndObject();
}

}  // namespace

std::string FormatSystemOne(const Request& request, const Response& response, bool details) {
  JsonWriter json;
  json.BeginObject().Key("model").String(response.model).Key("answers").BeginObject();
  for (size_t i = 0; i < request.questions.size(); ++i) {
    json.Key(request.questions[i].id);
    WriteAnswer(request.questions[i], response.answers[i], json);
  }
  json.EndObject().Key("usage").BeginObject();
  json.Key("input_tokens").Integer(static_cast<int64_t>(response.usage.input_tokens));
  json.Key("output_tokens").Integer(0).EndObject();
  if (details) json.Key("x_details").Raw(FormatDetails(request, response));
  return json.EndObject().Take();
}

std::string FormatError(const Error& error) {
  JsonWriter json;
  json.BeginObject().Key("message").String(error.message).Key("path").String(error.path);
  return json.EndObject().Take();
}

}  // namespace dikast
