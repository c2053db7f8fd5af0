// When a request is sent again, and after how long: the rules of the official SDK.
#pragma once

#include <chrono>
#include <optional>

#include "base/http_client.h"

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

// What the server asks for: retry-after-ms, else Retry-After in seconds or as a date. Nothing when
// it says nothing that can be read; never negative.
std::optional<Milliseconds> RequestedWait(const HttpResponse& response,
                                          std::chrono::system_clock::time_point now);

// The wait before retry number `retry` (0 is the first) when the server asks for none; `random` is
// in [0, 1).
Milliseconds BackOff(const RetryPolicy& policy, int retry, double random);

}  // namespace dikast::cli
