#include "base/descriptor.h"

#include <sys/resource.h>

#include <algorithm>

namespace dikast {

uint64_t RaiseDescriptorLimit(uint64_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlimit raised{std::min<rlim_t>(wanted, limit.rlim_max), limit.rlim_max};
  if (raised.rlim_cur <= limit.rlim_cur) return limit.rlim_cur;
  return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

}  // namespace dikast
