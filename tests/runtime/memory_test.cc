// The scheduler when memory lacks: every submission ends, with an answer or an error, and the next
// one is answered.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "dikast/scheduler.h"

namespace {

// Of the requests for more than a message takes, one in `failing` fails, spread as a hash is; 0:
// none.
std::atomic<unsigned> failing = 0;
std::atomic<unsigned> asked = 0;
constexpr size_t kSmall = 200;

void* Allocate(size_t size) {
  const unsigned one_in = failing;
  if (size > kSmall && one_in > 0 && (asked++ * 2654435761u >> 16) % one_in == 0) {
    throw std::bad_alloc();
  }
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }

namespace dikast {
namespace {

using namespace std::chrono_literals;

Scheduler Start() {
  EngineOptions options;
  options.model = DIKAST_SOURCE_DIR "/models/dikast-mini-v1";
  options.batch_tokens = 512;
  std::vector<Engine> engines;
  for (int replica = 0; replica < 2; ++replica) {
    options.threads = 1;
    engines.push_back(Engine::Load(options).value());
  }
  return Scheduler::Start(std::move(engines), {}).value();
}

std::vector<Request> Ask() {
  std::vector<Request> requests;
  requests.push_back(ParseRequest(R"({"state": "Order 7 is late.", "questions": {
      "late": {"type": "noul", "instructions": "Is the order late?"},
      "team": {"type": "choice", "criteria": {"shipping": "late or lost", "billing": null}}}})",
                                  {})
                         .value());
  return requests;
}

TEST(Memory, EverySubmissionEndsWhenItLacks) {
  for (const unsigned one_in : {3, 5, 8, 13, 21}) {
    SCOPED_TRACE("one allocation in " + std::to_string(one_in) + " fails");
    std::atomic<int> ended = 0, answered = 0;
    int submitted = 0;
    {
      Scheduler scheduler = Start();
      const auto count = [&](Completion completion) {
        ++ended;
        answered += completion.responses.at(0).has_value();
      };
      const auto deadline = Scheduler::Clock::now() + 1h;
      for (int i = 0; i < 40; ++i) {
        std::vector<Request> requests = Ask();
        failing = one_in;
        submitted += scheduler.Submit(std::move(requests), {}, deadline, count).has_value();
        failing = 0;
      }
      failing = one_in;
      while (ended < submitted) std::this_thread::sleep_for(1ms);
      failing = 0;
      EXPECT_EQ(scheduler.load().tokens, 0u);
      ASSERT_TRUE(scheduler.Submit(Ask(), {}, deadline, count));
      while (ended < submitted + 1) std::this_thread::sleep_for(1ms);
    }
    EXPECT_GE(answered, 1);
    EXPECT_EQ(ended, submitted + 1);
  }
}

}  // namespace
}  // namespace dikast
