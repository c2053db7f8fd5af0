#include "server/rate.h"

#include <algorithm>
#include <cmath>

namespace dikast::server {
namespace {

// protocols.md, resolution 3.
constexpr double kLeastWait = 1, kMostWait = 5;

Fault TooMany(const char* message, double wait) {
  return {.status = 429,
          .type = "rate_limit_exceeded",
          .message = message,
          .retry_after = static_cast<int>(std::clamp(std::ceil(wait), kLeastWait, kMostWait))};
}

}  // namespace

bool Allowance::Take(const ServerLimits& limits, Clock::time_point now) {
  const auto rate = static_cast<double>(limits.key_rate);
  const auto burst = static_cast<double>(limits.key_burst);
  const std::chrono::duration<double> passed = now - filled_;
  tokens_ = tokens_ < 0 ? burst : std::min(burst, tokens_ + passed.count() * rate);
  filled_ = now;
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

tl::expected<Allowance::Slot, Fault> Allowance::Enter(const std::shared_ptr<Allowance>& allowance,
                                                      const ServerLimits& limits,
                                                      Clock::time_point now) {
  if (limits.key_in_flight > 0 && allowance->in_flight_ >= limits.key_in_flight) {
    return tl::unexpected(TooMany("too many requests of this key are in flight", kLeastWait));
  }
  if (limits.key_rate > 0 && !allowance->Take(limits, now)) {
    const double missing = 1 - allowance->tokens_;
    return tl::unexpected(TooMany("too many requests a second of this key",
                                  missing / static_cast<double>(limits.key_rate)));
  }
  ++allowance->in_flight_;
  return Slot(nullptr, [allowance](void*) { --allowance->in_flight_; });
}

bool BodyClaim::Cover(uint64_t bytes) {
  if (bytes <= bytes_) return true;
  const uint64_t more = bytes - bytes_;
  if (budget_->held_.fetch_add(more) + more > budget_->limit_) {
    budget_->held_ -= more;
    return false;
  }
  bytes_ = bytes;
  return true;
}

}  // namespace dikast::server
