// Medians with bootstrap intervals, for measurements that alternate with a rival's in one run.
#pragma once

#include <time.h>

#include <algorithm>
#include <random>
#include <vector>

namespace dikast {

struct Estimate {
  double median, low, high;  // 95 % interval
};

inline double Median(std::vector<double> values) {
  const size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  if (values.size() % 2) return values[half];
  return (values[half] + *std::max_element(values.begin(), values.begin() + half)) / 2;
}

// Percentile bootstrap of the median: 2,000 resamples, fixed seed.
inline Estimate MedianInterval(const std::vector<double>& values) {
  constexpr size_t kResamples = 2000;
  std::mt19937 random(1);
  std::uniform_int_distribution<size_t> pick(0, values.size() - 1);
  std::vector<double> medians(kResamples), sample(values.size());
  for (double& median : medians) {
    for (double& value : sample) value = values[pick(random)];
    median = Median(sample);
  }
  std::sort(medians.begin(), medians.end());
  return {Median(values), medians[kResamples / 40], medians[kResamples - kResamples / 40 - 1]};
}

// Processor time of the calling thread: other programs on the machine do not count. Only for work
// that stays on this thread.
template <class Work>
double ThreadSeconds(const Work& work) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

}  // namespace dikast
