#include "base/json_writer.h"
#include "dikast/format.h"

namespace dikast {
namespace {

template <class T>
void WriteIntegers(std::string_view key, const std::vector<T>& values, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const T value : values) json.Integer(value);
  json.EndArray();
}

template <class T>
void WriteNumbers(std::string_view key, const std::vector<T>& values, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const T value : values) json.Number(value);
  json.EndArray();
}

void WriteSequence(const QuestionPlan& plan, size_t index, JsonWriter& json) {
  const TokenPlan& sequence = plan.sequences[index];
  json.BeginObject();
  WriteIntegers("input_ids", sequence.ids, json);
  WriteIntegers("markers", sequence.markers, json);
  WriteIntegers("options", sequence.options, json);
  if (!plan.windows.empty()) {
    const StateWindow& window = plan.windows[index / plan.SequencesPerWindow()];
    json.Key("window").BeginArray().Integer(window.begin).Integer(window.end).EndArray();
  }
  json.EndObject();
}

void WriteCuts(const Question& question, const CutReport& cuts, JsonWriter& json) {
  json.Key("cuts").BeginObject();
  json.Key("options").BeginArray();
  for (const CutReport::OptionCut& cut : cuts.options) {
    json.BeginObject().Key("option").String(question.options[cut.option].name);
    json.Key("tokens").Integer(cut.tokens).Key("kept").Integer(cut.kept).EndObject();
  }
  json.EndArray().Key("distinct_options").Integer(cuts.distinct_options);
  json.Key("tokens_per_option");
  if (cuts.tokens_per_option) {
    json.Integer(*cuts.tokens_per_option);
  } else {
    json.Null();
  }
  json.Key("groups").Integer(cuts.groups).Key("windows").Integer(cuts.windows).EndObject();
}

void WritePlan(const Question& question, const QuestionPlan& plan, JsonWriter& json) {
  if (plan.sequences.size() == 1) {
    WriteIntegers("input_ids", plan.sequences[0].ids, json);
    WriteIntegers("markers", plan.sequences[0].markers, json);
  } else {
    json.Key("sequences").BeginArray();
    for (size_t i = 0; i < plan.sequences.size(); ++i) WriteSequence(plan, i, json);
    json.EndArray();
  }
  json.Key("tokens").Integer(static_cast<int64_t>(CountTokens(plan)));
  json.Key("forwards").Integer(static_cast<int64_t>(plan.sequences.size()));
  json.Key("orders").Integer(plan.orders);
  json.Key("instruction_tokens").Integer(plan.cuts.instruction_tokens);
  json.Key("instruction_tokens_kept").Integer(plan.cuts.instruction_tokens_kept);
  json.Key("state_tokens").Integer(plan.cuts.state_tokens);
  json.Key("state_tokens_kept").Integer(plan.cuts.state_tokens_kept);
  WriteCuts(question, plan.cuts, json);
}

void WriteDetails(const Question& question, const Answer& answer, JsonWriter& json) {
  json.Key("type").String(QuestionTypeName(question.type));
  json.Key("options").BeginArray();
  for (const Option& option : question.options) json.String(option.name);
  json.EndArray();
  WriteNumbers("probabilities", answer.probabilities, json);
  WriteNumbers("logits", answer.logits, json);
  json.Key("temperature").Number(answer.temperature);
  WriteNumbers("action_logits", answer.action_logits, json);
  json.Key("act_probability").Number(answer.act_probability);
  if (answer.window) json.Key("window").Integer(answer.window->index);
}

}  // namespace

uint64_t CountTokens(const QuestionPlan& plan) {
  uint64_t tokens = 0;
  for (const TokenPlan& sequence : plan.sequences) tokens += sequence.ids.size();
  return tokens;
}

std::string FormatPlan(const Question& question, const QuestionPlan& plan) {
  JsonWriter json;
  json.BeginObject();
  WritePlan(question, plan, json);
  return json.EndObject().Take();
}

std::string FormatDetails(const Request& request, const Response& response) {
  JsonWriter json;
  json.BeginObject();
  for (size_t i = 0; i < request.questions.size(); ++i) {
    json.Key(request.questions[i].id).BeginObject();
    WriteDetails(request.questions[i], response.answers[i], json);
    WritePlan(request.questions[i], response.plans[i], json);
    json.EndObject();
  }
  return json.EndObject().Take();
}

std::string FormatBudget(const Request& request, const std::vector<QuestionPlan>& plans,
                         uint32_t max_len) {
  JsonWriter json;
  json.BeginObject().Key("max_len").Integer(max_len).Key("questions").BeginObject();
  for (size_t i = 0; i < request.questions.size(); ++i) {
    const CutReport& cuts = plans[i].cuts;
    json.Key(request.questions[i].id).BeginObject();
    json.Key("tokens").Integer(static_cast<int64_t>(CountTokens(plans[i])));
    json.Key("state_tokens").Integer(cuts.state_tokens);
    json.Key("state_tokens_kept").Integer(cuts.state_tokens_kept);
    json.Key("cuts").BeginArray();
    for (const std::string& cut : DescribeCuts(request.questions[i], plans[i])) json.String(cut);
    json.EndArray().EndObject();
  }
  return json.EndObject().EndObject().Take();
}

}  // namespace dikast
