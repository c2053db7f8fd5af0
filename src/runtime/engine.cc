// plan -> batches -> forward -> read out.
#include <algorithm>
#include <utility>

#include "base/try.h"
#include "decision/planner.h"
#include "runtime/batch_plan.h"
#include "runtime/calibration.h"
#include "runtime/engine_impl.h"
#include "runtime/guard.h"
#include "runtime/isa_choice.h"
#include "runtime/planner_impl.h"
#include "runtime/weight_info.h"

namespace dikast {
namespace {

// The embedding is read by id: a tokenizer that does not belong to the weights must not reach it.
Result<void> CheckIds(const std::vector<QuestionPlan>& plans, const ModelInfo& info) {
  for (const QuestionPlan& plan : plans) {
    for (const TokenPlan& sequence : plan.sequences) {
      for (const int32_t id : sequence.ids) {
        if (static_cast<uint32_t>(id) < info.vocabulary) continue;
        return Fail(ErrorCode::kModel,
                    "the tokenizer gives the id " + std::to_string(id) +
                        " but the model has a vocabulary of " + std::to_string(info.vocabulary) +
                        "; this tokenizer belongs to another model",
                    (info.folder / "tokenizer/tokenizer.json").string());
      }
    }
  }
  return {};
}

Result<Response> PlanOne(const Request& request, const DecideOptions& options,
                         const Planner& planner) {
  Response response;
  DIKAST_TRY(response.plans, planner.Plan(request, options));
  DIKAST_CHECK_OK(CheckIds(response.plans, planner.info()));
  response.model = planner.info().name;
  response.usage = CountUsage(request, response.plans, options);
  return response;
}

Responses DecideAll(std::span<const Request> requests, const DecideOptions& options,
                    Engine::Impl& engine) {
  Work work = engine.Plan(requests, options);
  std::vector<SequenceSize> sizes;
  for (const Job& job : work.jobs()) sizes.push_back(SizeOf(*job.sequence));
  {
    const std::lock_guard lock(engine.mutex);
    for (const BatchRange& range : PlanBatches(sizes, engine.limits)) {
      engine.Forward(work.jobs().subspan(range.begin, range.end - range.begin));
    }
  }
  return std::move(work).Finish(engine.temperatures);
}

}  // namespace

Engine::Impl::Impl(Planner planner_in, Weights weights_in, const BatchLimits& limits_in,
                   int threads)
    : planner(std::move(planner_in)),
      weights(std::move(weights_in)),
      limits(limits_in),
      pool(threads),
      batch(limits_in),
      logits(limits_in.markers),
      actions_per_job(planner.impl_->config.laya.actions) {
  actions.resize(limits.sequences * actions_per_job);
}

Work Engine::Impl::Plan(std::span<const Request> requests, const DecideOptions& options) const {
  Responses responses;
  for (const Request& request : requests) responses.push_back(PlanOne(request, options, planner));
  return Work(requests, std::move(responses), actions_per_job);
}

void Engine::Impl::Forward(std::span<const Job> jobs) {
  batch.Clear();
  for (const Job& job : jobs) batch.Append(*job.sequence, job.type);
  const std::span<float> all_logits = std::span(logits).first(batch.markers());
  const std::span<float> all_actions = std::span(actions).first(jobs.size() * actions_per_job);
  model->Forward(batch.View(), all_logits, all_actions);
  const float* logit = all_logits.data();
  const float* action = all_actions.data();
  for (const Job& job : jobs) {
    std::copy_n(logit, job.sequence->markers.size(), job.logits);
    std::copy_n(action, actions_per_job, job.actions);
    logit += job.sequence->markers.size();
    action += actions_per_job;
  }
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
    DIKAST_TRY(impl->temperatures, LoadTemperatures(kept, options));
    ModelInfo& info = impl->planner.impl_->info;
    info.isa = IsaName(ops->isa);
    info.threads = impl->pool.threads();
    info.temperatures = impl->temperatures;
    DescribeWeights(impl->weights, info);
    return Engine(std::move(impl));
  });
}

Result<Response> Engine::Decide(const Request& request, const DecideOptions& options) {
  return std::move(DecideMany({&request, 1}, options).front());
}

std::vector<Result<Response>> Engine::DecideMany(std::span<const Request> requests,
                                                 const DecideOptions& options) {
  Result<Responses> responses = Guarded(
      "answering", [&]() -> Result<Responses> { return DecideAll(requests, options, *impl_); });
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
