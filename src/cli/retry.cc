#include "cli/retry.h"

#include <algorithm>
#include <cmath>

namespace dikast::cli {

bool IsWorthRetrying(unsigned status) {
  return status == 408 || status == 429 || (status >= 500 && status < 600);
}

Milliseconds BackOff(const RetryPolicy& policy, int retry, double random) {
  const double doubled = static_cast<double>(policy.first.count()) * std::exp2(retry);
  const double wait = std::min(doubled, static_cast<double>(policy.longest.count()));
  return Milliseconds(std::llround(wait * (1 - policy.jitter * random)));
}

}  // namespace dikast::cli
