#include "base/descriptor.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace dikast {

ssize_t ReadFull(int descriptor, std::span<char> bytes) {
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = read(descriptor, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return count;
    if (count == 0) break;  // it shrank while we read
    filled += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(filled);
}

uint64_t RaiseDescriptorLimit(uint64_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlimit raised{std::min<rlim_t>(wanted, limit.rlim_max), limit.rlim_max};
  if (raised.rlim_cur <= limit.rlim_cur) return limit.rlim_cur;
  return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

}  // namespace dikast
