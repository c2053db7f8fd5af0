#include "dikast/scheduler.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "runtime/batch_cut.h"
#include "runtime/engine_impl.h"
#include "runtime/guard.h"

namespace dikast {
namespace {

using Clock = Scheduler::Clock;

// Until the first batch is measured. A guess that is low only refuses a full queue early.
constexpr double kFirstTokensPerSecond = 4000;
// How far one batch moves the measured rate.
constexpr double kRateWeight = 0.2;

constexpr std::chrono::milliseconds kPauseWithoutMemory{10};

// One Submit on its way. `requests` does not move: the work points into it.
struct Submission {
  std::vector<Request> requests;
  std::optional<Work> work;
  std::vector<SequenceSize> sizes;
  size_t next = 0;       // first sequence that was not put into a batch
  size_t forwarded = 0;  // sequences whose batch has ended
  uint32_t batches = 0;  // batches under way that hold some of it
  Clock::time_point turn, deadline, queued, first_forward;
  std::optional<Error> dropped;  // nothing more of it is forwarded
  StageTimes times;
  uint32_t forwards = 0;
  Scheduler::Done done;

  bool exhausted() const { return dropped || next == sizes.size(); }
  bool ended() const { return batches == 0 && (dropped || forwarded == sizes.size()); }
};

// The part of a submission in one batch.
struct Part {
  Submission* submission;
  size_t sequences;
};

struct Batch {
  std::vector<Job> jobs;  // in the order of the parts
  std::vector<Part> parts;
};

// For what must not fail: memory that lacks now is there when other answers are written.
template <class Work>
auto OnceThereIsMemory(const Work& work) -> decltype(work()) {
  while (true) {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kPauseWithoutMemory);
    }
  }
}

void Complete(Submission submission, const Temperatures& temperatures) {
  const Clock::time_point start = Clock::now();
  Result<Responses> responses = Guarded("reading the answers", [&]() -> Result<Responses> {
    if (submission.dropped) return tl::unexpected(*submission.dropped);
    return std::move(*submission.work).Finish(temperatures);
  });
  if (!responses) {
    responses = OnceThereIsMemory(
        [&] { return Responses(submission.requests.size(), tl::unexpected(responses.error())); });
  }
  submission.times.decode = Clock::now() - start;
  submission.done({std::move(submission.requests), *std::move(responses), submission.times,
                   submission.forwards});
}

std::string Seconds(std::chrono::milliseconds time) {
  return std::to_string((time.count() + 999) / 1000) + " s";
}

}  // namespace

struct Scheduler::Impl {
  Impl(std::vector<Engine> replicas_in, const SchedulerLimits& limits_in,
       std::function<void(const BatchReport&)> on_batch_in)
      : replicas(std::move(replicas_in)), limits(limits_in), on_batch(std::move(on_batch_in)) {}
  ~Impl();

  std::chrono::milliseconds ExpectedWait() const;
  Result<void> Admits() const;
  void Enqueue(Ticket ticket, Submission submission, uint64_t tokens);
  void Run(Engine::Impl& engine);
  void Step(Engine::Impl& engine, std::unique_lock<std::mutex>& lock);
  Batch Cut(const BatchLimits& batch_limits);
  void Drop(Submission& submission, Error error);
  void ForgetExhausted();
  std::map<Ticket, Submission> TakeEnded();
  void CompleteAll(std::map<Ticket, Submission> ended);

  std::vector<Engine> replicas;
  SchedulerLimits limits;
  std::function<void(const BatchReport&)> on_batch;

  mutable std::mutex mutex;  // guards all that follows
  std::condition_variable wake;
  std::map<Ticket, Submission> live;
  std::vector<Submission*> waiting;  // of live: those with sequences to forward
  Ticket next_ticket = 1;
  uint64_t planning = 0, queued_tokens = 0;
  double tokens_per_second = kFirstTokensPerSecond;
  bool stopping = false;
  std::vector<std::thread> threads;
};

std::chrono::milliseconds Scheduler::Impl::ExpectedWait() const {
  const double rate = tokens_per_second * static_cast<double>(replicas.size());
  return std::chrono::milliseconds(
      static_cast<int64_t>(1000.0 * static_cast<double>(queued_tokens) / rate));
}

Result<void> Scheduler::Impl::Admits() const {
  if (live.size() + planning >= limits.queue_submissions) {
    return Fail(ErrorCode::kBusy, "the queue is full: " + std::to_string(limits.queue_submissions) +
                                      " requests wait; try again later");
  }
  if (queued_tokens >= limits.queue_tokens) {
    return Fail(ErrorCode::kBusy, "the queue is full: " + std::to_string(queued_tokens) +
                                      " tokens wait; try again later");
  }
  if (ExpectedWait() >= limits.longest_wait) {
    return Fail(ErrorCode::kBusy, "an answer would take about " + Seconds(ExpectedWait()) +
                                      ", more than the " + Seconds(limits.longest_wait) +
                                      " that a request may wait; try again later");
  }
  return {};
}

// Throws before it changes anything, or not at all.
void Scheduler::Impl::Enqueue(Ticket ticket, Submission submission, uint64_t tokens) {
  submission.queued = Clock::now();
  submission.turn = TurnOf(submission.queued, tokens, tokens_per_second);
  waiting.reserve(waiting.size() + 1);
  waiting.push_back(&live.emplace(ticket, std::move(submission)).first->second);
  queued_tokens += tokens;
}

void Scheduler::Impl::Drop(Submission& submission, Error error) {
  for (size_t s = submission.next; s < submission.sizes.size(); ++s) {
    queued_tokens -= submission.sizes[s].tokens;
  }
  submission.dropped = std::move(error);
}

void Scheduler::Impl::ForgetExhausted() {
  std::erase_if(waiting, [](const Submission* submission) { return submission->exhausted(); });
}

// Moves nodes, so that it needs no memory.
std::map<Scheduler::Ticket, Submission> Scheduler::Impl::TakeEnded() {
  std::map<Ticket, Submission> ended;
  for (auto it = live.begin(); it != live.end();) {
    const auto here = it++;
    if (here->second.ended()) ended.insert(live.extract(here));
  }
  return ended;
}

void Scheduler::Impl::CompleteAll(std::map<Ticket, Submission> ended) {
  for (auto& [ticket, submission] : ended) {
    Complete(std::move(submission), replicas.front().impl_->temperatures);
  }
}

// Takes one batch off the queue. Throws before it changes anything, or not at all.
Batch Scheduler::Impl::Cut(const BatchLimits& batch_limits) {
  const Clock::time_point now = Clock::now();
  std::vector<Waiting> views;
  views.reserve(waiting.size());
  for (const Submission* s : waiting) {
    views.push_back({s->turn, s->deadline, std::span(s->sizes).subspan(s->next)});
  }
  const BatchCut cut = CutBatch(views, now, batch_limits);
  std::vector<Error> late(
      cut.expired.size(),
      Error{ErrorCode::kBusy, "the deadline passed in the queue; try again later", {}});
  Batch batch;
  batch.jobs.reserve(batch_limits.sequences);
  batch.parts.reserve(cut.slices.size());

  for (size_t i = 0; i < late.size(); ++i) Drop(*waiting[cut.expired[i]], std::move(late[i]));
  for (const Slice& slice : cut.slices) {
    Submission& submission = *waiting[slice.waiting];
    if (submission.next == 0) {
      submission.first_forward = now;
      submission.times.queue = now - submission.queued;
    }
    const std::span<const Job> taken =
        submission.work->jobs().subspan(submission.next, slice.sequences);
    batch.jobs.insert(batch.jobs.end(), taken.begin(), taken.end());
    for (size_t s = 0; s < slice.sequences; ++s) {
      queued_tokens -= submission.sizes[submission.next + s].tokens;
    }
    submission.next += slice.sequences;
    ++submission.batches;
    ++submission.forwards;
    batch.parts.push_back({&submission, slice.sequences});
  }
  ForgetExhausted();
  return batch;
}

// One batch from the queue to its completions. Holds the lock on entry and on return.
void Scheduler::Impl::Step(Engine::Impl& engine, std::unique_lock<std::mutex>& lock) {
  const auto [jobs, parts] = OnceThereIsMemory([&] { return Cut(engine.limits); });
  if (!waiting.empty()) wake.notify_one();  // another replica may be idle
  BatchReport report{.sequences = static_cast<uint32_t>(jobs.size()),
                     .submissions = static_cast<uint32_t>(parts.size())};
  for (const Job& job : jobs) report.tokens += static_cast<uint32_t>(job.sequence->ids.size());

  lock.unlock();
  const Clock::time_point start = Clock::now();
  if (!jobs.empty()) engine.Forward(jobs);
  const Clock::time_point end = Clock::now();
  report.seconds = end - start;
  lock.lock();

  for (const Part& part : parts) {
    part.submission->forwarded += part.sequences;
    --part.submission->batches;
    part.submission->times.forward = end - part.submission->first_forward;
  }
  if (!jobs.empty()) {
    const double rate = report.tokens / std::max(report.seconds.count(), 1e-6);
    tokens_per_second += kRateWeight * (rate - tokens_per_second);
  }
  std::map<Ticket, Submission> ended = TakeEnded();

  lock.unlock();
  CompleteAll(std::move(ended));
  if (on_batch && !jobs.empty()) on_batch(report);
  lock.lock();
}

void Scheduler::Impl::Run(Engine::Impl& engine) {
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stopping || !waiting.empty(); });
    if (stopping) return;
    Step(engine, lock);
  }
}

// Here, not in ~Scheduler: when a thread cannot be started, those before it must still be joined.
Scheduler::Impl::~Impl() {
  {
    const std::lock_guard lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread& thread : threads) thread.join();
  for (auto& [ticket, submission] : live) {
    submission.dropped = Error{ErrorCode::kCancelled, "the scheduler has stopped", {}};
  }
  CompleteAll(std::move(live));
}

Result<Scheduler> Scheduler::Start(std::vector<Engine> replicas, const SchedulerLimits& limits,
                                   std::function<void(const BatchReport&)> on_batch) {
  return Guarded("starting the scheduler", [&]() -> Result<Scheduler> {
    auto impl = std::make_unique<Impl>(std::move(replicas), limits, std::move(on_batch));
    for (Engine& engine : impl->replicas) {
      impl->threads.emplace_back([self = impl.get(), &engine] { self->Run(*engine.impl_); });
    }
    return Scheduler(std::move(impl));
  });
}

Scheduler::Scheduler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;
Scheduler::~Scheduler() = default;

Result<Scheduler::Ticket> Scheduler::Submit(std::vector<Request> requests,
                                            const DecideOptions& options,
                                            Clock::time_point deadline, Done done) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(impl_->mutex);
    if (const Result<void> admitted = impl_->Admits(); !admitted) {
      return tl::unexpected(admitted.error());
    }
    ++impl_->planning;
    ticket = impl_->next_ticket++;
  }
  Submission submission;
  submission.requests = std::move(requests);
  submission.deadline = deadline;
  submission.done = std::move(done);
  const Clock::time_point start = Clock::now();
  const Result<void> planned = Guarded("planning", [&]() -> Result<void> {
    submission.work = impl_->replicas.front().impl_->Plan(submission.requests, options);
    for (const Job& job : submission.work->jobs())
      submission.sizes.push_back(SizeOf(*job.sequence));
    return {};
  });
  submission.times.tokenise = Clock::now() - start;
  {
    const std::lock_guard lock(impl_->mutex);
    --impl_->planning;
    if (!planned) return tl::unexpected(planned.error());
    const uint64_t tokens = submission.work->tokens();
    const bool fits =
        impl_->queued_tokens == 0 || impl_->queued_tokens + tokens <= impl_->limits.queue_tokens;
    if (!fits) {
      return Fail(ErrorCode::kBusy, "the queue has no room for the " + std::to_string(tokens) +
                                        " tokens of this request; try again later");
    }
    if (!submission.sizes.empty()) {
      const Result<void> queued = Guarded("queueing", [&]() -> Result<void> {
        impl_->Enqueue(ticket, std::move(submission), tokens);
        return {};
      });
      if (!queued) return tl::unexpected(queued.error());
      impl_->wake.notify_one();
      return ticket;
    }
  }
  Complete(std::move(submission), impl_->replicas.front().impl_->temperatures);
  return ticket;
}

void Scheduler::Cancel(Ticket ticket) {
  std::map<Ticket, Submission> ended;
  {
    const std::lock_guard lock(impl_->mutex);
    const auto found = impl_->live.find(ticket);
    if (found == impl_->live.end() || found->second.dropped) return;
    impl_->Drop(found->second, {ErrorCode::kCancelled, "the caller has gone", {}});
    impl_->ForgetExhausted();
    ended = impl_->TakeEnded();
  }
  impl_->CompleteAll(std::move(ended));
}

Result<void> Scheduler::Admits() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->Admits();
}

SchedulerLoad Scheduler::load() const {
  const std::lock_guard lock(impl_->mutex);
  SchedulerLoad load{.submissions = impl_->live.size() + impl_->planning,
                     .tokens = impl_->queued_tokens,
                     .expected = impl_->ExpectedWait()};
  if (!impl_->live.empty()) {
    load.oldest = std::chrono::duration_cast<std::chrono::milliseconds>(
        Clock::now() - impl_->live.begin()->second.queued);
  }
  return load;
}

const Planner& Scheduler::planner() const { return impl_->replicas.front().planner(); }

}  // namespace dikast
