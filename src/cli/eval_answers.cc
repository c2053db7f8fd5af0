#include "cli/eval_answers.h"

#include <algorithm>
#include <numeric>

#include "cli/exit.h"
#include "cli/progress.h"

namespace dikast::cli {
namespace {

constexpr size_t kBatchRows = 64;

bool IsOfTheRow(ErrorCode code) {
  return code == ErrorCode::kRequest || code == ErrorCode::kOverLength;
}

Request Reversed(Request request) {
  Question& question = request.questions[0];
  if (question.order.empty()) {
    question.order.resize(question.options.size());
    std::iota(question.order.begin(), question.order.end(), 0u);
  }
  std::reverse(question.order.begin(), question.order.end());
  return request;
}

}  // namespace

DataAnswers AnswerRows(Engine& engine, std::span<const Request> requests,
                       const DecideOptions& options, bool quiet) {
  DataAnswers answers;
  Progress progress(quiet, requests.size());
  for (size_t begin = 0; begin < requests.size(); begin += kBatchRows) {
    const auto batch = requests.subspan(begin, std::min(kBatchRows, requests.size() - begin));
    for (Result<Response>& response : engine.DecideMany(batch, options)) {
      std::optional<RowAnswer> answer;
      if (response) {
        Answer& first = response->answers[0];
        answer = RowAnswer{std::move(first.probabilities), std::move(first.logits)};
      } else if (IsOfTheRow(response.error().code)) {
        answers.refused.push_back({answers.by_row.size(), std::move(response).error()});
      } else {
        Quit(response.error());
      }
      answers.by_row.push_back(std::move(answer));
    }
    const size_t done = answers.by_row.size();
    progress.Update(done, answers.refused.size(), done);
  }
  return answers;
}

OrderEffect ReverseOptions(Engine& engine, const DataSet& data, const DataAnswers& answers,
                           const DecideOptions& options, bool quiet) {
  std::vector<Request> requests;
  std::vector<std::vector<double>> as_listed, reversed;
  for (size_t row = 0; row < data.rows.size(); ++row) {
    const Question& question = data.requests[row].questions[0];
    const std::optional<RowAnswer>& answer = answers.by_row[row];
    if (!answer || question.type != QuestionType::kChoice || question.options.size() < 2) continue;
    requests.push_back(Reversed(data.requests[row]));
    as_listed.push_back(answer->probabilities);
  }
  for (std::optional<RowAnswer>& answer : AnswerRows(engine, requests, options, quiet).by_row) {
    // What fits in one order fits in the other.
    if (!answer) Quit({ErrorCode::kInternal, "a row was refused with its options in reverse", {}});
    reversed.push_back(std::move(answer->probabilities));
  }
  return CompareOrders(as_listed, reversed);
}

}  // namespace dikast::cli
