// Requests on their way through a model: planned, forwarded sequence by sequence, read out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decision/readout.h"
#include "dikast/decision.h"
#include "models/decision_model.h"

namespace dikast {

using Responses = std::vector<Result<Response>>;

// One sequence, and where its numbers go.
struct Job {
  const TokenPlan* sequence;
  QuestionType type;
  float* logits;   // one a marker
  float* actions;  // as many as the model has
};

class Work {
 public:
  // `planned` has one response a request, its plans made; one that was refused has no jobs.
  // `requests` must outlive this. `actions`: outputs of the action head, one set a sequence.
  Work(std::span<const Request> requests, Responses planned, size_t actions);
  Work(Work&&) = default;
  Work& operator=(Work&&) = default;

  // Request by request, question by question, sequence by sequence. Any order, any company.
  std::span<const Job> jobs() const { return jobs_; }
  uint64_t tokens() const { return tokens_; }

  // One result a request, once every job was forwarded.
  Responses Finish(const Temperatures& temperatures) &&;

 private:
  std::span<const Request> requests_;
  Responses responses_;
  std::vector<float> logits_, actions_;
  std::vector<Job> jobs_;
  size_t actions_per_job_;
  uint64_t tokens_ = 0;
};

}  // namespace dikast
