// How much one caller may still ask: requests a second, and requests at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

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
  explicit BodyBudget(uint64_t limit) : limit_(limit) {}

 private:
  friend class BodyClaim;
  const uint64_t limit_;
  std::atomic<uint64_t> held_ = 0;
};

// What one body takes of the budget, given back with the claim.
class BodyClaim {
 public:
  explicit BodyClaim(std::shared_ptr<BodyBudget> budget) : budget_(std::move(budget)) {}
  BodyClaim(const BodyClaim&) = delete;
  BodyClaim& operator=(const BodyClaim&) = delete;
  ~BodyClaim() { budget_->held_ -= bytes_; }

  // Makes it `bytes` in all, when it is less. False, and as it was, past the limit.
  bool Cover(uint64_t bytes);

 private:
  std::shared_ptr<BodyBudget> budget_;
  uint64_t bytes_ = 0;
};

}  // namespace dikast::server
