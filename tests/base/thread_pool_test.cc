#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace dikast {
namespace {

TEST(ThreadPool, RunsEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (size_t count = 0; count < 40; ++count) {
      std::vector<std::atomic<int>> runs(count);
      std::atomic<bool> thread_in_range = true;
      pool.ParallelFor(count, [&](size_t i, int thread) {
        ++runs[i];
        if (thread < 0 || thread >= pool.threads()) thread_in_range = false;
      });
      for (const auto& n : runs) ASSERT_EQ(n, 1) << threads << " threads, " << count << " tasks";
      EXPECT_TRUE(thread_in_range);
    }
  }
}

TEST(ThreadPool, WakesSleepingWorkers) {
  ThreadPool pool(4);
  std::atomic<int> sum = 0;
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pool.ParallelFor(4, [&](size_t i, int) { sum += static_cast<int>(i); });
  }
  EXPECT_EQ(sum, 20 * 6);
}

TEST(ThreadPool, ManyShortCalls) {
  ThreadPool pool(3);
  size_t total = 0;
  for (int call = 0; call < 2000; ++call) {
    std::array<size_t, 3> parts = {};
    pool.ParallelFor(3, [&](size_t i, int) { parts[i] = i + 1; });
    total += parts[0] + parts[1] + parts[2];
  }
  EXPECT_EQ(total, 2000u * 6);
}

TEST(UsableCores, AtLeastOne) { EXPECT_GE(UsableCores(), 1); }

}  // namespace
}  // namespace dikast
