#include "cli/service_answer.h"

#include <algorithm>

#include "base/try.h"
#include "dikast/json.h"

namespace dikast::cli {
namespace {

// A body has at most a few values for each option that was asked about.
constexpr size_t kMostValues = 10'000'000;

Result<const JsonValue*> Member(const JsonValue& object, std::string_view key, std::string& path) {
  path = PointerAppend(path, key);
  if (const JsonValue* value = object.Find(key)) return value;
  return Fail(ErrorCode::kInternal, "the answer lacks this", path);
}

Result<double> Number(const JsonValue& object, std::string_view key, std::string path) {
  DIKAST_TRY(const JsonValue* const value, Member(object, key, path));
  if (value->AsNumber() != nullptr) return value->AsNumber()->ToDouble();
  return Fail(ErrorCode::kInternal, "must be a number, got " + std::string(value->KindName()),
              path);
}

Result<Answer> ReadAnswer(const Question& question, const JsonValue& body,
                          const std::string& path) {
  Answer answer;
  answer.type = question.type;
  if (question.type == QuestionType::kNoul) {
    DIKAST_TRY(answer.score, Number(body, "noul", path));
    answer.probabilities = {1 - answer.score, answer.score};
  } else {
    std::string inside = path;
    DIKAST_TRY(const JsonValue* const shares, Member(body, "probabilities", inside));
    for (const Option& option : question.options) {
      DIKAST_TRY(const double share, Number(*shares, option.name, inside));
      answer.probabilities.push_back(share);
    }
    DIKAST_TRY(answer.confidence, Number(body, "confidence", path));
  }
  if (question.type == QuestionType::kScore) {
    DIKAST_TRY(answer.score, Number(body, "score", path));
  }
  const auto best = std::max_element(answer.probabilities.begin(), answer.probabilities.end());
  answer.best = static_cast<uint32_t>(best - answer.probabilities.begin());
  return answer;
}

}  // namespace

Result<Response> ReadSystemOne(const Request& request, std::string_view body) {
  DIKAST_TRY(const JsonValue document,
             ParseJson(body, JsonDialect::kStrict, {.values = kMostValues}));
  Response response;
  std::string path;
  DIKAST_TRY(const JsonValue* const model, Member(document, "model", path));
  if (model->AsString() != nullptr) response.model = *model->AsString();
  path.clear();
  DIKAST_TRY(const JsonValue* const answers, Member(document, "answers", path));
  for (const Question& question : request.questions) {
    std::string inside = path;
    DIKAST_TRY(const JsonValue* const answer, Member(*answers, question.id, inside));
    DIKAST_TRY(Answer read, ReadAnswer(question, *answer, inside));
    response.answers.push_back(std::move(read));
  }
  path.clear();
  DIKAST_TRY(const JsonValue* const usage, Member(document, "usage", path));
  DIKAST_TRY(const double tokens, Number(*usage, "input_tokens", path));
  response.usage.input_tokens = tokens > 0 ? static_cast<uint64_t>(tokens) : 0;
  return response;
}

}  // namespace dikast::cli
