// How much one caller may still ask: requests a second, and requests at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "dikast/server.h"
#include "server/fault.h"

namespace dikast::server {

// Of one key; without keys all callers share one, for a loopback peer says nothing about who it is.
// Enter is called by one thread; a slot may be given back by any.
class Allowance {
 public:
  using Clock = std::chrono::steady_clock;
  // A place among the requests in flight, given back when the last copy goes.
  using Slot = std::shared_ptr<void>;

  // Errors: 429 with the whole seconds to wait.
  static tl::expected<Slot, Fault> Enter(const std::shared_ptr<Allowance>& allowance,
                                         const ServerLimits& limits, Clock::time_point now);

 private:
  bool Take(const ServerLimits& limits, Clock::time_point now);

  double tokens_ = -1;  // of the bucket; negative before the first request: it starts full
  Clock::time_point filled_{};
  std::atomic<uint64_t> in_flight_ = 0;
};

// Bytes of request bodies that are held at one time, so that many connections with large bodies
// cannot take all memory.
class BodyBudget {
 public:
  using Claim = std::shared_ptr<void>;

  // Null when `limit` would be passed.
  static Claim Take(const std::shared_ptr<BodyBudget>& budget, uint64_t bytes, uint64_t limit);

 private:
  std::atomic<uint64_t> held_ = 0;
};

}  // namespace dikast::server
