#include "cli/eval_rows.h"

#include <span>

#include "base/json_writer.h"
#include "base/sha256.h"
#include "base/try.h"
#include "cli/exit.h"
#include "cli/request_source.h"

namespace dikast::cli {
namespace {

constexpr size_t kMostComplaints = 10, kMostNames = 12;

Result<std::string> OptionalText(const JsonValue& row, const char* key) {
  const JsonValue* member = row.Find(key);
  if (!member || member->IsNull()) return std::string();
  if (const std::string* text = member->AsString()) return *text;
  return Fail(ErrorCode::kRequest,
              std::string("'") + key + "' must be a string, got " + std::string(member->KindName()),
              std::string("/") + key);
}

std::string NamesOf(const Question& question) {
  std::string names;
  for (size_t i = 0; i < question.options.size(); ++i) {
    if (i == kMostNames) return names + ", ...";
    names += (i ? ", " : "") + question.options[i].name;
  }
  return names;
}

// A choice names its option, a noul is true or false, a score is the index of its level.
std::optional<uint32_t> RightOption(const Question& question, const JsonValue& answer) {
  if (question.type == QuestionType::kNoul) {
    if (const bool* truth = answer.AsBool()) return *truth ? 1 : 0;
    return std::nullopt;
  }
  if (question.type == QuestionType::kScore) {
    const JsonNumber* number = answer.AsNumber();
    const std::optional<int64_t> level = number ? number->ToInteger() : std::nullopt;
    const auto levels = static_cast<int64_t>(question.options.size());
    if (level && *level >= 0 && *level < levels) return static_cast<uint32_t>(*level);
    return std::nullopt;
  }
  const std::string* text = answer.AsString();
  const std::string name = text ? *text : JsonWriter().Value(answer).Take();
  for (uint32_t i = 0; i < question.options.size(); ++i) {
    if (question.options[i].name == name) return i;
  }
  return std::nullopt;
}

Result<uint32_t> ReadAnswer(const Question& question, const JsonValue* answer) {
  if (!answer) return Fail(ErrorCode::kRequest, "'answer' is missing", "/answer");
  if (const std::optional<uint32_t> right = RightOption(question, *answer)) return *right;
  const std::string wanted =
      question.type == QuestionType::kNoul ? "true or false"
      : question.type == QuestionType::kScore
          ? "the index of a level, 0 to " + std::to_string(question.options.size() - 1)
          : "one of the options (" + NamesOf(question) + ")";
  return Fail(ErrorCode::kRequest,
              "'answer' must be " + wanted + ", got " + JsonWriter().Value(*answer).Take(),
              "/answer");
}

// The row has one question, under this name in the request.
constexpr char kQuestion[] = "question";

Result<Request> ToRequest(const JsonValue& row, const DecideOptions& options) {
  JsonObject request;
  const JsonValue* question = row.Find(kQuestion);
  if (!question) return Fail(ErrorCode::kRequest, "'question' is missing", "/question");
  if (const JsonValue* state = row.Find("state")) request.push_back({"state", *state});
  request.push_back({"questions", JsonValue{JsonObject{{kQuestion, *question}}}});
  Result<Request> parsed = ParseRequest(JsonValue{std::move(request)}, options);
  if (parsed) return parsed;
  Error error = std::move(parsed).error();
  constexpr std::string_view kOuter = "/questions";
  if (error.path.starts_with(kOuter)) error.path.erase(0, kOuter.size());
  return tl::unexpected(std::move(error));
}

void ComplainAboutRows(const std::string& name, const std::vector<std::string>& complaints) {
  for (size_t i = 0; i < std::min(complaints.size(), kMostComplaints); ++i) {
    Complain(name + " " + complaints[i]);
  }
  Complain(std::to_string(complaints.size()) + (complaints.size() == 1 ? " bad row" : " bad rows") +
           "; nothing was evaluated, as figures without them would be of other data");
}

}  // namespace

Result<void> AddRow(std::string_view text, uint64_t line, const DecideOptions& options,
                    DataSet& data) {
  DIKAST_TRY(const JsonValue row, ParseJson(text));
  if (!row.AsObject()) {
    return Fail(ErrorCode::kRequest,
                "a row must be an object {\"state\", \"question\", \"answer\"}, got " +
                    std::string(row.KindName()));
  }
  DataRow added{.line = line, .id = {}, .source = {}};
  DIKAST_TRY(added.id, OptionalText(row, "id"));
  DIKAST_TRY(added.source, OptionalText(row, "source"));
  DIKAST_TRY(Request request, ToRequest(row, options));
  DIKAST_TRY(added.right, ReadAnswer(request.questions[0], row.Find("answer")));
  data.rows.push_back(std::move(added));
  data.requests.push_back(std::move(request));
  return {};
}

DataSet ReadDataSet(const std::string& file, const DecideOptions& options) {
  const std::string text = OrQuit(ReadInput(file));
  DataSet data{.name = file == "-" ? "standard input" : file,
               .sha256 = Sha256Hex(std::as_bytes(std::span(text)))};
  std::vector<std::string> complaints;
  uint64_t line = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view row = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++line;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Result<void> added = AddRow(row, line, options, data);
    if (!added)
      complaints.push_back("line " + std::to_string(line) + ": " + Describe(added.error()));
  }
  if (complaints.empty() && data.rows.empty()) complaints.push_back("has no rows");
  if (complaints.empty()) return data;
  ComplainAboutRows(data.name, complaints);
  throw Exit{kRequestRefused};
}

}  // namespace dikast::cli
