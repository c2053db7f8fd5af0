#pragma once

#include <cstdint>

namespace dikast {

// Resident memory of this process in bytes, from /proc/self/statm; 0 where there is none.
uint64_t ResidentBytes();

}  // namespace dikast
