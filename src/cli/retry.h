// When a request is sent again, and after how long: the rules of the official SDK.
#pragma once

#include <chrono>

namespace dikast::cli {

using Milliseconds = std::chrono::milliseconds;

struct RetryPolicy {
  int retries = 2;
  Milliseconds first{500}, longest{5'000};  // doubled from try to try
  double jitter = 0.25;                     // up to this share is taken off
  Milliseconds per_try{10'000}, total{30'000};
};

// 408, 429 and every 5xx.
bool IsWorthRetrying(unsigned status);

// The wait before retry number `retry` (0 is the first) when the server asks for none; `random` is
// in [0, 1).
Milliseconds BackOff(const RetryPolicy& policy, int retry, double random);

}  // namespace dikast::cli
