// One pool of worker threads for a model. Work is split by index; results must not depend on how.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace dikast {

class ThreadPool {
 public:
  // The calling thread is one of `threads`; 1 starts no worker. Workers sleep between calls.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls task(i, thread) for every i in [0, count), each once, and returns when all have returned;
  // 0 <= thread < threads(). Allocates nothing. One caller at a time; tasks must not throw.
  template <class Task>
  void ParallelFor(size_t count, const Task& task) {
    Run(
        count,
        [](const void* t, size_t i, int thread) { (*static_cast<const Task*>(t))(i, thread); },
        &task);
  }

 private:
  using Function = void (*)(const void* task, size_t index, int thread);
  void Run(size_t count, Function function, const void* task);

  struct State;
  int threads_;
  std::unique_ptr<State> state_;
};

// Cores this process may run on (affinity and cgroup quota), at least 1.
int UsableCores();

}  // namespace dikast
