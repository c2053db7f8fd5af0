#include "runtime/work.h"

#include <utility>

namespace dikast {
namespace {

// Reads one question after the other from jobs that stand in the same order.
class AnswerReader {
 public:
  AnswerReader(std::span<const Job> jobs, size_t actions) : jobs_(jobs), actions_(actions) {}

  Result<Answer> Next(const Question& question, const QuestionPlan& plan,
                      const Temperatures& temperatures) {
    outputs_.clear();
    for (size_t s = 0; s < plan.sequences.size(); ++s) {
      const Job& job = jobs_[next_++];
      outputs_.push_back({{job.logits, job.sequence->markers.size()}, {job.actions, actions_}});
    }
    return ReadOut(question, plan, outputs_, temperatures);
  }

 private:
  std::span<const Job> jobs_;
  size_t actions_, next_ = 0;
  std::vector<SequenceOutput> outputs_;
};

// The whole request fails with its first question that does.
Result<void> ReadAnswers(const Request& request, const Temperatures& temperatures,
                         AnswerReader& reader, Response& response) {
  Result<void> outcome;
  for (size_t q = 0; q < response.plans.size(); ++q) {
    Result<Answer> answer = reader.Next(request.questions[q], response.plans[q], temperatures);
    if (answer) response.answers.push_back(*std::move(answer));
    if (!answer && outcome) outcome = tl::unexpected(std::move(answer).error());
  }
  return outcome;
}

}  // namespace

Work::Work(std::span<const Request> requests, Responses planned, size_t actions)
    : requests_(requests), responses_(std::move(planned)), actions_per_job_(actions) {
  size_t markers = 0;
  for (size_t r = 0; r < requests_.size(); ++r) {
    if (!responses_[r]) continue;
    for (size_t q = 0; q < responses_[r]->plans.size(); ++q) {
      for (const TokenPlan& sequence : responses_[r]->plans[q].sequences) {
        jobs_.push_back({&sequence, requests_[r].questions[q].type, nullptr, nullptr});
        markers += sequence.markers.size();
        tokens_ += sequence.ids.size();
      }
    }
  }
  logits_.resize(markers);
  actions_.resize(jobs_.size() * actions);
  float* logits = logits_.data();
  float* action = actions_.data();
  for (Job& job : jobs_) {
    job.logits = std::exchange(logits, logits + job.sequence->markers.size());
    job.actions = std::exchange(action, action + actions);
  }
}

Responses Work::Finish(const Temperatures& temperatures) && {
  AnswerReader reader(jobs_, actions_per_job_);
  for (size_t r = 0; r < requests_.size(); ++r) {
    if (!responses_[r]) continue;
    const Result<void> read = ReadAnswers(requests_[r], temperatures, reader, *responses_[r]);
    if (!read) responses_[r] = tl::unexpected(read.error());
  }
  return std::move(responses_);
}

}  // namespace dikast
