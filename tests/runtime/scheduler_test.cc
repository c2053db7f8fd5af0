// The scheduler on the bundled model.
#include "dikast/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <random>
#include <stdexcept>
#include <thread>

#include "dikast/format.h"

namespace dikast {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = Scheduler::Clock;

Engine Load(int threads = 1) {
  EngineOptions options;
  options.model = DIKAST_SOURCE_DIR "/models/dikast-mini-v1";
  options.threads = threads;
  options.batch_tokens = 512;
  Result<Engine> engine = Engine::Load(options);
  if (!engine) throw std::runtime_error(engine.error().message);
  return *std::move(engine);
}

Scheduler Start(const SchedulerLimits& limits = {}, int replicas = 1) {
  std::vector<Engine> engines;
  for (int i = 0; i < replicas; ++i) engines.push_back(Load());
  return Scheduler::Start(std::move(engines), limits).value();
}

Request Ask(int number, int words = 3) {
  std::string state;
  for (int w = 0; w < words; ++w) state += "Order " + std::to_string(number) + " is late. ";
  return ParseRequest(R"({"state": ")" + state + R"(", "questions": {
      "late": {"type": "noul", "instructions": "Is the order late?"},
      "team": {"type": "choice", "criteria": {"shipping": "late or lost", "billing": null}}}})",
                      {})
      .value();
}

// A completion that can be waited for.
struct Waiter {
  std::promise<Completion> promise;
  std::future<Completion> future = promise.get_future();
  Scheduler::Done done() {
    return [this](Completion completion) { promise.set_value(std::move(completion)); };
  }
  Completion Get() {
    if (future.wait_for(60s) != std::future_status::ready) throw std::runtime_error("no answer");
    return future.get();
  }
};

Completion Decide(Scheduler& scheduler, Request request, Clock::duration patience = 1h) {
  Waiter waiter;
  std::vector<Request> requests;
  requests.push_back(std::move(request));
  scheduler.Submit(std::move(requests), {}, Clock::now() + patience, waiter.done()).value();
  return waiter.Get();
}

TEST(Scheduler, AnswersAsTheEngineDoes) {
  Engine engine = Load();
  Scheduler scheduler = Start();
  const Request request = Ask(1);
  const Completion completion = Decide(scheduler, request);
  EXPECT_EQ(FormatDetails(request, completion.responses.at(0).value()),
            FormatDetails(request, engine.Decide(request, {}).value()));
  EXPECT_GE(completion.forwards, 1u);
  EXPECT_GT(completion.times.forward.count(), 0);
}

TEST(Scheduler, ManyCallersGetTheBitsTheyWouldGetAlone) {
  Engine engine = Load();
  Scheduler scheduler = Start({}, 2);
  std::vector<std::thread> callers;
  std::mutex mutex;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 4; ++i) {
        const Request request = Ask(100 * caller + i, 1 + (7 * caller + 5 * i) % 40);
        const Completion completion = Decide(scheduler, request);
        const std::lock_guard lock(mutex);
        EXPECT_EQ(FormatDetails(request, completion.responses.at(0).value()),
                  FormatDetails(request, engine.Decide(request, {}).value()));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(scheduler.load().submissions, 0u);
  EXPECT_EQ(scheduler.load().tokens, 0u);
}

TEST(Scheduler, OneRefusedRequestLeavesItsSiblingsAlone) {
  Scheduler scheduler = Start();
  Waiter waiter;
  scheduler.Submit({Ask(1), Ask(2, 5000), Ask(3)}, {}, Clock::now() + 1h, waiter.done()).value();
  const Completion completion = waiter.Get();
  ASSERT_EQ(completion.responses.size(), 3u);
  EXPECT_TRUE(completion.responses[0]);
  EXPECT_EQ(completion.responses[1].error().code, ErrorCode::kOverLength);
  EXPECT_TRUE(completion.responses[2]);
}

TEST(Scheduler, ARequestThatIsRefusedCostsNoForward) {
  Scheduler scheduler = Start();
  const Completion completion = Decide(scheduler, Ask(2, 5000));
  EXPECT_EQ(completion.responses.at(0).error().code, ErrorCode::kOverLength);
  EXPECT_EQ(completion.forwards, 0u);
}

TEST(Scheduler, AFullQueueSaysNoBeforeWork) {
  Scheduler scheduler = Start({.queue_submissions = 0});
  const Result<void> admitted = scheduler.Admits();
  ASSERT_FALSE(admitted);
  EXPECT_EQ(admitted.error().code, ErrorCode::kBusy);
  const auto submitted = scheduler.Submit({Ask(1)}, {}, Clock::now() + 1h, [](Completion) {
    ADD_FAILURE() << "a refused submission must not complete";
  });
  EXPECT_EQ(submitted.error().code, ErrorCode::kBusy);
  EXPECT_THAT(submitted.error().message, HasSubstr("queue is full"));
}

// More than this machine answers before the check: sixteen submissions of some 400 tokens.
std::vector<std::unique_ptr<Waiter>> Fill(Scheduler& scheduler,
                                          std::vector<Scheduler::Ticket>& tickets) {
  std::vector<std::unique_ptr<Waiter>> waiters;
  for (int i = 0; i < 16; ++i) {
    waiters.push_back(std::make_unique<Waiter>());
    tickets.push_back(
        scheduler.Submit({Ask(i, 30)}, {}, Clock::now() + 1h, waiters.back()->done()).value());
  }
  return waiters;
}

TEST(Scheduler, RefusesWhatWouldWaitTooLong) {
  Scheduler scheduler = Start({.longest_wait = 1ms});
  std::vector<Scheduler::Ticket> tickets;
  Waiter first;
  scheduler.Submit({Ask(1, 30)}, {}, Clock::now() + 1h, first.done()).value();
  Result<Scheduler::Ticket> second = scheduler.Submit({Ask(2, 30), Ask(3, 30), Ask(4, 30)}, {},
                                                      Clock::now() + 1h, [](Completion) {});
  // Either the first had not left the queue, or the second fills it.
  Result<void> admitted = second ? scheduler.Admits() : tl::unexpected(second.error());
  ASSERT_FALSE(admitted);
  EXPECT_THAT(admitted.error().message, HasSubstr("may wait"));
  first.Get();
}

TEST(Scheduler, CancellingOneLeavesTheOthersAndFreesItsPlace) {
  Scheduler scheduler = Start();
  std::vector<Scheduler::Ticket> tickets;
  auto waiters = Fill(scheduler, tickets);
  for (size_t i = 1; i < tickets.size(); i += 2) scheduler.Cancel(tickets[i]);
  size_t cancelled = 0;
  for (size_t i = 0; i < waiters.size(); ++i) {
    const Completion completion = waiters[i]->Get();
    const Result<Response>& response = completion.responses.at(0);
    if (response) continue;
    EXPECT_EQ(i % 2, 1u);
    EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
    ++cancelled;
  }
  EXPECT_GE(cancelled, 4u);      // the first few may have been in a forward pass already
  scheduler.Cancel(tickets[0]);  // complete: nothing happens
  scheduler.Cancel(12345678);
  EXPECT_EQ(scheduler.load().submissions, 0u);
  EXPECT_EQ(scheduler.load().tokens, 0u);
}

TEST(Scheduler, APassedDeadlineCostsNoForward) {
  Scheduler scheduler = Start();
  const Completion completion = Decide(scheduler, Ask(1), -1ms);
  EXPECT_EQ(completion.responses.at(0).error().code, ErrorCode::kBusy);
  EXPECT_THAT(completion.responses.at(0).error().message, HasSubstr("deadline"));
  EXPECT_EQ(completion.forwards, 0u);
}

TEST(Scheduler, StoppingAnswersEverybody) {
  std::vector<std::unique_ptr<Waiter>> waiters;
  {
    Scheduler scheduler = Start();
    std::vector<Scheduler::Ticket> tickets;
    waiters = Fill(scheduler, tickets);
  }
  for (const auto& waiter : waiters) {
    const Completion completion = waiter->Get();
    const Result<Response>& response = completion.responses.at(0);
    if (!response) {
      EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
    }
  }
}

// Cancels and deadlines at random while two replicas work: every submission completes once, with
// the right answer or a reason.
TEST(Scheduler, SurvivesRandomCancelsAndDeadlines) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::atomic<int> completions{0}, answered{0};
  int submitted = 0;
  {
    Scheduler scheduler = Start({}, 2);
    for (int i = 0; i < 60; ++i) {
      const auto patience = std::chrono::milliseconds(random() % 400);
      const Result<Scheduler::Ticket> ticket = scheduler.Submit(
          {Ask(i, 1 + random() % 30)}, {}, Clock::now() + patience, [&](Completion completion) {
            ++completions;
            if (completion.responses.at(0)) ++answered;
          });
      submitted += ticket.has_value();
      if (ticket && random() % 3 == 0) scheduler.Cancel(*ticket);
    }
  }
  EXPECT_EQ(completions, submitted);
}

}  // namespace
}  // namespace dikast
