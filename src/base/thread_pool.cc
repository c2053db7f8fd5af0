#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/check.h"

namespace dikast {
namespace {

// The ops of one forward pass follow each other within microseconds: a worker looks for the next
// one this many times (about 20 microseconds) before it sleeps in the kernel.
constexpr int kSpins = 1000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void WaitWhile(const std::atomic<uint32_t>& word, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) != old) return;
    Pause();
  }
  word.wait(old, std::memory_order_acquire);
}

}  // namespace

struct ThreadPool::State {
  // The call in progress: written before `ticket`, and stable while an index of it is claimed but
  // not finished.
  Function function = nullptr;
  const void* task = nullptr;
  size_t count = 0;

  // Number of the call in the upper half, indices not yet claimed in the lower. The number keeps a
  // worker that slept through a call from claiming with what it saw before.
  std::atomic<uint64_t> ticket = 0;
  std::atomic<uint32_t> unfinished = 0;  // indices of the call in progress
  std::atomic<uint32_t> call = 0;        // advanced to wake the workers
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;

  void Work(int thread) {
    uint64_t seen = ticket.load(std::memory_order_acquire);
    while (static_cast<uint32_t>(seen) != 0) {
      if (!ticket.compare_exchange_weak(seen, seen - 1)) continue;
      function(task, count - static_cast<uint32_t>(seen), thread);
      if (unfinished.fetch_sub(1) == 1) unfinished.notify_one();
      seen = ticket.load(std::memory_order_acquire);
    }
  }

  void Serve(int thread) {
    for (uint32_t seen = 0;;) {
      WaitWhile(call, seen);
      seen = call.load(std::memory_order_acquire);
      if (stop) return;
      Work(thread);
    }
  }

  // Here, not in the pool: when a thread cannot be started, those before it must still be joined.
  ~State() {
    stop = true;
    call.fetch_add(1);
    call.notify_all();
    for (std::thread& worker : workers) worker.join();
  }
};

ThreadPool::ThreadPool(int threads)
    : threads_(std::max(threads, 1)), state_(std::make_unique<State>()) {
  try {
    for (int thread = 1; thread < threads_; ++thread) {
      state_->workers.emplace_back([state = state_.get(), thread] { state->Serve(thread); });
    }
  } catch (const std::system_error& error) {
    throw std::system_error(error.code(), "cannot start " + std::to_string(threads_) +
                                              " threads, ask for fewer (--threads)");
  }
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::Run(size_t count, Function function, const void* task) {
  if (threads_ == 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) function(task, i, 0);
    return;
  }
  DIKAST_CHECK(count <= UINT32_MAX);
  State& state = *state_;
  state.function = function;
  state.task = task;
  state.count = count;
  state.unfinished = static_cast<uint32_t>(count);
  const uint64_t number = (state.ticket >> 32) + 1;
  state.ticket.store(number << 32 | count, std::memory_order_release);
  state.call.fetch_add(1, std::memory_order_release);
  state.call.notify_all();
  state.Work(0);
  // Only claimed indices are waited for: a worker that is not scheduled holds nothing up.
  for (uint32_t left = state.unfinished; left != 0; left = state.unfinished) {
    WaitWhile(state.unfinished, left);
  }
}

int UsableCores() {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) cores = CPU_COUNT(&allowed);
  // cgroup v2: "max 100000" or "150000 100000" (microseconds of a period).
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (file >> quota >> period && quota != "max" && period > 0) {
    cores = std::min(cores, static_cast<int>(std::stod(quota) / period + 0.5));
  }
  return std::max(cores, 1);
}

}  // namespace dikast
