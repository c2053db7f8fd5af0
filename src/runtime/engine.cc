// plan -> batches -> forward -> read out.
#include <mutex>
#include <utility>

#include "base/thread_pool.h"
#include "base/try.h"
#include "decision/planner.h"
#include "decision/readout.h"
#include "models/decision_model.h"
#include "runtime/batch_plan.h"
#include "runtime/guard.h"
#include "runtime/isa_choice.h"
#include "runtime/packed_batch.h"
#include "runtime/planner_impl.h"
#include "runtime/weight_info.h"

namespace dikast {
namespace {

using Responses = std::vector<Result<Response>>;

// One sequence on its way through the model.
struct Job {
  const TokenPlan* sequence;
  QuestionType type;
};

// What the model said, sequence by sequence, each job's numbers where the previous one's end.
struct Outputs {
  std::vector<float> logits, actions;
};

// Every sequence of every request that was planned, request by request, question by question.
std::vector<Job> ListJobs(std::span<const Request> requests, const Responses& responses) {
  std::vector<Job> jobs;
  for (size_t r = 0; r < requests.size(); ++r) {
    if (!responses[r]) continue;
    const std::vector<QuestionPlan>& plans = responses[r]->plans;
    for (size_t q = 0; q < plans.size(); ++q) {
      for (const TokenPlan& sequence : plans[q].sequences) {
        jobs.push_back({&sequence, requests[r].questions[q].type});
      }
    }
  }
  return jobs;
}

// Hands out the numbers of one sequence after the other.
class OutputReader {
 public:
  OutputReader(const Outputs& outputs, size_t actions) : outputs_(outputs), actions_(actions) {}

  SequenceOutput Next(const TokenPlan& sequence) {
    const size_t markers = sequence.markers.size();
    const SequenceOutput next = {std::span(outputs_.logits).subspan(logit_, markers),
                                 std::span(outputs_.actions).subspan(action_, actions_)};
    logit_ += markers;
    action_ += actions_;
    return next;
  }

 private:
  const Outputs& outputs_;
  size_t actions_, logit_ = 0, action_ = 0;
};

Result<void> ReadAnswers(const Request& request, const Temperatures& temperatures,
                         OutputReader& reader, Response& response) {
  std::vector<SequenceOutput> outputs;
  std::optional<Error> first_error;  // the reader must pass every sequence, whatever happens
  for (size_t q = 0; q < response.plans.size(); ++q) {
    outputs.clear();
    for (const TokenPlan& sequence : response.plans[q].sequences) {
      outputs.push_back(reader.Next(sequence));
    }
    Result<Answer> answer = ReadOut(request.questions[q], response.plans[q], outputs, temperatures);
    if (answer) response.answers.push_back(*std::move(answer));
    if (!answer && !first_error) first_error = std::move(answer.error());
  }
  if (first_error) return tl::unexpected(*std::move(first_error));
  return {};
}

}  // namespace

struct Engine::Impl {
  Impl(Planner planner_in, Weights weights_in, const BatchLimits& limits_in, int threads)
      : planner(std::move(planner_in)),
        weights(std::move(weights_in)),
        limits(limits_in),
        pool(threads),
        batch(limits_in) {}

  size_t actions() const { return planner.impl_->config.laya.actions; }

  Result<Response> Plan(const Request& request, const DecideOptions& options) const;
  Result<void> CheckIds(const std::vector<QuestionPlan>& plans) const;
  void Forward(std::span<const Job> jobs, Outputs& outputs);
  Responses Decide(std::span<const Request> requests, const DecideOptions& options);

  Planner planner;
  Weights weights;
  BatchLimits limits;
  ThreadPool pool;
  std::optional<DecisionModel> model;
  Temperatures temperatures;
  PackedBatch batch;
  std::mutex mutex;  // guards model, pool and batch: one forward at a time
};

// The embedding is read by id: a tokenizer that does not belong to the weights must not reach it.
Result<void> Engine::Impl::CheckIds(const std::vector<QuestionPlan>& plans) const {
  const uint32_t vocabulary = planner.info().vocabulary;
  for (const QuestionPlan& plan : plans) {
    for (const TokenPlan& sequence : plan.sequences) {
      for (const int32_t id : sequence.ids) {
        if (static_cast<uint32_t>(id) < vocabulary) continue;
        return Fail(ErrorCode::kModel,
                    "the tokenizer gives the id " + std::to_string(id) +
                        " but the model has a vocabulary of " + std::to_string(vocabulary) +
                        "; this tokenizer belongs to another model",
                    (planner.info().folder / "tokenizer/tokenizer.json").string());
      }
    }
  }
  return {};
}

Result<Response> Engine::Impl::Plan(const Request& request, const DecideOptions& options) const {
  Response response;
  DIKAST_TRY(response.plans, planner.Plan(request, options));
  DIKAST_CHECK_OK(CheckIds(response.plans));
  response.model = planner.info().name;
  response.usage = CountUsage(request, response.plans, options);
  return response;
}

void Engine::Impl::Forward(std::span<const Job> jobs, Outputs& outputs) {
  std::vector<SequenceSize> sizes;
  for (const Job& job : jobs) {
    sizes.push_back({static_cast<uint32_t>(job.sequence->ids.size()),
                     static_cast<uint32_t>(job.sequence->markers.size())});
  }
  for (const BatchRange& range : PlanBatches(sizes, limits)) {
    batch.Clear();
    for (const Job& job : jobs.subspan(range.begin, range.end - range.begin)) {
      batch.Append(*job.sequence, job.type);
    }
    const size_t logits = outputs.logits.size(), first_action = outputs.actions.size();
    outputs.logits.resize(logits + batch.markers());
    outputs.actions.resize(first_action + batch.sequences() * actions());
    model->Forward(batch.View(), std::span(outputs.logits).subspan(logits),
                   std::span(outputs.actions).subspan(first_action));
  }
}

Responses Engine::Impl::Decide(std::span<const Request> requests, const DecideOptions& options) {
  Responses responses;
  for (const Request& request : requests) responses.push_back(Plan(request, options));
  Outputs outputs;
  {
    const std::lock_guard lock(mutex);
    Forward(ListJobs(requests, responses), outputs);
  }
  OutputReader reader(outputs, actions());
  for (size_t r = 0; r < requests.size(); ++r) {
    if (!responses[r]) continue;
    const Result<void> read = ReadAnswers(requests[r], temperatures, reader, *responses[r]);
    if (!read) responses[r] = tl::unexpected(read.error());
  }
  return responses;
}

Result<Engine> Engine::Load(const EngineOptions& options) {
  return Guarded("loading the model", [&]() -> Result<Engine> {
    DIKAST_TRY(const Ops* ops, ChooseIsa(options.isa));
    DIKAST_TRY(Planner planner, Planner::Load(options));
    const CheckpointConfig& config = planner.impl_->config;
    DIKAST_TRY(Weights weights, Weights::Open(options.model / "model.safetensors", config));
    const BatchLimits limits = LimitsFor(planner.info().batch_tokens, planner.info().max_len);
    auto impl = std::make_unique<Impl>(std::move(planner), std::move(weights), limits,
                                       ChooseThreads(options.threads));
    const CheckpointConfig& kept = impl->planner.impl_->config;
    DIKAST_TRY(impl->model, DecisionModel::Create(kept, impl->weights, *ops, impl->pool, limits));
    impl->temperatures = {kept.laya.temperature.by_type, kept.laya.temperature.by_bucket};
    ModelInfo& info = impl->planner.impl_->info;
    info.isa = IsaName(ops->isa);
    info.threads = impl->pool.threads();
    DescribeWeights(impl->weights, info);
    return Engine(std::move(impl));
  });
}

Result<Response> Engine::Decide(const Request& request, const DecideOptions& options) {
  return std::move(DecideMany({&request, 1}, options).front());
}

std::vector<Result<Response>> Engine::DecideMany(std::span<const Request> requests,
                                                 const DecideOptions& options) {
  Result<Responses> responses =
      Guarded("answering", [&]() -> Result<Responses> { return impl_->Decide(requests, options); });
  if (responses) return *std::move(responses);
  return Responses(requests.size(), tl::unexpected(responses.error()));
}

const Planner& Engine::planner() const { return impl_->planner; }
const ModelInfo& Engine::info() const { return impl_->planner.info(); }

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

}  // namespace dikast
