// Many callers, one model: admission, batches cut by tokens, deadlines, cancellation.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "dikast/decision.h"
#include "dikast/engine.h"
#include "dikast/status.h"

namespace dikast {

struct SchedulerLimits {
  uint64_t queue_submissions = 1024;             // waiting or being forwarded
  uint64_t queue_tokens = 1 << 20;               // of their sequences, not yet forwarded
  std::chrono::milliseconds longest_wait{8000};  // expected wait at which a submission is refused
};

struct StageTimes {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  Milliseconds tokenise{}, decode{};
  Milliseconds queue{};    // until its first sequence went into a forward pass
  Milliseconds forward{};  // from there to the end of its last one
};

struct Completion {
  std::vector<Request> requests;  // as submitted
  // One a request, in order. The errors of Engine::DecideMany, or for all of them kBusy (the
  // deadline passed in the queue), kCancelled (Cancel, or the scheduler was destroyed).
  std::vector<Result<Response>> responses;
  StageTimes times;
  uint32_t forwards = 0;  // forward passes that this submission had a part in
};

struct BatchReport {
  uint32_t sequences = 0, tokens = 0, submissions = 0;
  std::chrono::duration<double> seconds{};
};

struct SchedulerLoad {
  uint64_t submissions = 0, tokens = 0;            // waiting or being forwarded
  std::chrono::milliseconds oldest{}, expected{};  // age of the oldest; wait of a new one
};

// Thread-safe. Forwards are made by one thread a replica; an idle scheduler sleeps.
class Scheduler {
 public:
  using Clock = std::chrono::steady_clock;
  using Done = std::function<void(Completion)>;
  using Ticket = uint64_t;

  // `replicas` hold the same model; at least one. `on_batch` is called after each forward pass, by
  // the thread that made it; it must not throw. Errors: kModel when a thread or memory lacks.
  static Result<Scheduler> Start(std::vector<Engine> replicas, const SchedulerLimits& limits,
                                 std::function<void(const BatchReport&)> on_batch = {});
  // The destructor cancels what is left and waits for the forward passes under way.
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;
  ~Scheduler();

  // Plans on the calling thread, then queues. `done` is called once: by a thread of the scheduler,
  // perhaps before Submit returns, or by the caller of Submit or Cancel when no forward pass is
  // needed. It must not throw, block, or call the scheduler. A request that is refused by its plan
  // is a completion, like any other answer. Errors, after which `done` is not called: kBusy when
  // the queue is full or the expected wait too long; kModel when memory lacks for the plans.
  Result<Ticket> Submit(std::vector<Request> requests, const DecideOptions& options,
                        Clock::time_point deadline, Done done);
  // Completes with kCancelled, unless it is complete. What it has in a forward pass under way is
  // computed and dropped; nobody else's work changes.
  void Cancel(Ticket ticket);

  // Errors: kBusy, as Submit would say, before anything was parsed or planned.
  Result<void> Admits() const;
  SchedulerLoad load() const;
  const Planner& planner() const;

 private:
  struct Impl;
  explicit Scheduler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dikast
