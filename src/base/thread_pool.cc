#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

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
  // The call in progress; written before `call` is advanced.
  Function function = nullptr;
  const void* task = nullptr;
  size_t count = 0;
  std::atomic<size_t> next = 0;

  std::atomic<uint32_t> call = 0;  // advanced to start a call
  std::atomic<uint32_t> busy = 0;  // workers still in the call
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;

  void Work(int thread) {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) function(task, i, thread);
  }

  void Serve(int thread) {
    for (uint32_t seen = 0;;) {
      WaitWhile(call, seen);
      seen = call.load(std::memory_order_acquire);
      if (stop) return;
      Work(thread);
      if (busy.fetch_sub(1) == 1) busy.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads)
    : threads_(std::max(threads, 1)), state_(std::make_unique<State>()) {
  for (int thread = 1; thread < threads_; ++thread) {
    state_->workers.emplace_back([state = state_.get(), thread] { state->Serve(thread); });
  }
}

ThreadPool::~ThreadPool() {
  state_->stop = true;
  state_->call.fetch_add(1);
  state_->call.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

void ThreadPool::Run(size_t count, Function function, const void* task) {
  if (threads_ == 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) function(task, i, 0);
    return;
  }
  state_->function = function;
  state_->task = task;
  state_->count = count;
  state_->next = 0;
  state_->busy = static_cast<uint32_t>(threads_ - 1);
  state_->call.fetch_add(1, std::memory_order_release);
  state_->call.notify_all();
  state_->Work(0);
  for (uint32_t busy = state_->busy; busy != 0; busy = state_->busy) WaitWhile(state_->busy, busy);
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
