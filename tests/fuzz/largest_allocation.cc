#include "tests/fuzz/largest_allocation.h"

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace dikast {
namespace {

size_t largest = 0;

void OnAllocate(const volatile void*, size_t bytes) { largest = std::max(largest, bytes); }
void OnFree(const volatile void*) {}

const int installed = __sanitizer_install_malloc_and_free_hooks(OnAllocate, OnFree);

}  // namespace

AllocationLimit::AllocationLimit(size_t input_bytes)
    : limit_(4 * uint64_t{input_bytes} + (uint64_t{16} << 20)) {
  if (installed == 0) std::abort();
  largest = 0;
}

AllocationLimit::~AllocationLimit() {
  if (largest <= limit_) return;
  std::fprintf(stderr, "one allocation of %zu bytes; at most %llu are allowed\n", largest,
               static_cast<unsigned long long>(limit_));
  std::abort();
}

}  // namespace dikast
