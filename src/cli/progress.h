// "1,234 lines, 56.7/s, 2 failed, 1:05 left" on a terminal, while lines are answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace dikast::cli {

class Progress {
 public:
  // Shows itself on standard error if that is a terminal and `quiet` is off. `total_bytes` is the
  // size of the input, 0 when unknown: without it no time is estimated.
  Progress(bool quiet, uint64_t total_bytes);
  ~Progress();  // clears its line

  // Sums so far. Draws ten times a second at most.
  void Update(uint64_t lines, uint64_t failed, uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  uint64_t total_bytes_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

// The line itself. `seconds` is the time since the start.
std::string ProgressText(uint64_t lines, uint64_t failed, uint64_t bytes, uint64_t total_bytes,
                         double seconds);

}  // namespace dikast::cli
