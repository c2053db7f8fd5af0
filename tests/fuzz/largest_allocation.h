// The largest single allocation while an input is handled, seen through the sanitizer's hooks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dikast {

// Between construction and destruction: no single allocation may pass 4 times the input, plus what
// the model declares, plus 16 MiB. The destructor aborts otherwise, so that the fuzzer keeps the
// input.
class AllocationLimit {
 public:
  explicit AllocationLimit(size_t input_bytes);
  ~AllocationLimit();
  void Declare(uint64_t bytes) { limit_ += bytes; }

 private:
  uint64_t limit_;
};

}  // namespace dikast
