#include "cli/mcp_tools.h"

#include <algorithm>
#include <cstdio>

#include "base/json_writer.h"
#include "base/try.h"
#include "cli/exit.h"
#include "cli/service_answer.h"
#include "cli/table.h"
#include "dikast/format.h"

namespace dikast::cli {
namespace {

constexpr std::string_view kTools[] = {"decide", "choice", "score", "noul", "models", "status"};
constexpr char kQuestion[] = "answer";  // the id of a tool's only question
constexpr size_t kMostOptionsInText = 3;

std::string FormatResult(const std::string& text, std::string_view structured, bool is_error) {
  JsonWriter writer;
  writer.BeginObject().Key("content").BeginArray().BeginObject();
  writer.Key("type").String("text").Key("text").String(text).EndObject().EndArray();
  writer.Key("structuredContent").Raw(structured);
  return writer.Key("isError").Bool(is_error).EndObject().Take();
}

// "refund 70.5 %, other 25.3 %": the largest ones.
std::string LargestShares(const Question& question, const Answer& answer) {
  std::vector<size_t> order(answer.probabilities.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const size_t count = std::min(order.size(), kMostOptionsInText);
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    [&](size_t a, size_t b) {
                      const double pa = answer.probabilities[a], pb = answer.probabilities[b];
                      return pa != pb ? pa > pb : a < b;
                    });
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    char share[16];
    std::snprintf(share, sizeof share, " %.1f %%", 100 * answer.probabilities[order[i]]);
    text += (text.empty() ? "" : ", ") + question.options[order[i]].name + share;
  }
  return text;
}

std::string Describe(const Request& request, const Response& response,
                     const std::vector<std::string>& notes, bool named) {
  std::string text;
  for (size_t q = 0; q < request.questions.size(); ++q) {
    const Question& question = request.questions[q];
    const Answer& answer = response.answers[q];
    if (named) text += question.id + ": ";
    text += Headline(question, answer);
    if (question.type != QuestionType::kNoul) text += ": " + LargestShares(question, answer);
    text += '\n';
  }
  for (const std::string& note : notes) text += "note: " + note + "\n";
  text.pop_back();
  return text;
}

// A question tool's arguments as a request: all but the state and over_length is the question.
JsonValue ToDocument(std::string_view type, const JsonValue& arguments) {
  JsonObject document, question{{"type", JsonValue{std::string(type)}}};
  for (const JsonMember& member : *arguments.AsObject()) {
    const bool above = member.key == "state" || member.key == "over_length";
    (above ? document : question).push_back(member);
  }
  document.push_back(
      {"questions", JsonValue{JsonObject{{kQuestion, JsonValue{std::move(question)}}}}});
  return JsonValue{std::move(document)};
}

// The only answer with model and usage beside it.
Result<std::string> OnlyAnswer(const std::string& body) {
  DIKAST_TRY(const JsonValue document, ParseJson(body));
  const JsonValue* answers = document.Find("answers");
  const JsonValue* answer = answers == nullptr ? nullptr : answers->Find(kQuestion);
  if (answer == nullptr || answer->AsObject() == nullptr) {
    return Fail(ErrorCode::kInternal, "the answer is not in the body", "/answers");
  }
  JsonObject only = *answer->AsObject();
  for (const char* key : {"model", "usage"}) {
    if (const JsonValue* value = document.Find(key)) only.push_back({key, *value});
  }
  return JsonWriter().Value(JsonValue{std::move(only)}).Take();
}

// Back from the request that a tool built to the arguments that it was given.
Error ToArguments(Error error) {
  const std::string inside = std::string("/questions/") + kQuestion;
  if (error.path.starts_with(inside)) error.path.erase(0, inside.size());
  const std::string named = std::string("question '") + kQuestion + "': ";
  if (error.message.starts_with(named)) error.message.erase(0, named.size());
  return error;
}

Result<std::string> Decide(DecisionSource& source, const JsonValue& document, bool one) {
  DIKAST_TRY(const Request request, ParseRequest(document, {}));
  DIKAST_TRY(const Decision decision, source.Decide(request, document));
  DIKAST_TRY(const Response response, ReadSystemOne(request, decision.body));
  std::string structured = decision.body;
  if (one) {
    DIKAST_TRY(structured, OnlyAnswer(decision.body));
  }
  return FormatResult(Describe(request, response, decision.notes, !one), structured, false);
}

// Models and status: the JSON itself is the text.
Result<std::string> Show(Result<std::string> object) {
  DIKAST_TRY(const std::string text, std::move(object));
  DIKAST_TRY(const JsonValue value, ParseJson(text));
  return FormatResult(text, JsonWriter().Value(value).Take(), false);
}

Result<std::string> Call(DecisionSource& source, std::string_view name,
                         const JsonValue& arguments) {
  if (name == "models") return Show(source.Models());
  if (name == "status") return Show(source.Status());
  if (name == "decide") return Decide(source, arguments, false);
  return Decide(source, ToDocument(name, arguments), true).map_error(ToArguments);
}

}  // namespace

bool IsTool(std::string_view name) {
  return std::find(std::begin(kTools), std::end(kTools), name) != std::end(kTools);
}

std::string ToolError(const Error& error) {
  JsonWriter writer;
  writer.BeginObject().Key("error").Raw(FormatError(error)).EndObject();
  return FormatResult(cli::Describe(error), writer.Take(), true);
}

std::string CallTool(DecisionSource& source, std::string_view name, const JsonValue& arguments) {
  const Result<std::string> result = Call(source, name, arguments);
  return result ? *result : ToolError(result.error());
}

}  // namespace dikast::cli
