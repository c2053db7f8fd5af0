#include "server/gate.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "server/body.h"

namespace dikast::server {
namespace {

// What the connection reads at a time. The default connections with one each stay within the
// default --held-bytes.
constexpr uint64_t kBodyPart = 64 << 10;

Fault Unauthorized(const char* message) {
  return {.status = 401, .type = "authentication_error", .message = message};
}

}  // namespace

Gate::Gate(const ServerOptions& options, std::string_view address)
    : options_(options), hosts_(address, options.host, options.hosts) {}

Result<void> Gate::LoadKeys() {
  if (options_.keys.empty()) return {};
  DIKAST_TRY(const std::vector<std::string> hashes, ReadKeyHashes(options_.keys));
  keys_.Set(hashes);
  return {};
}

std::optional<Fault> Gate::CheckCaller(Exchange& exchange, const Route* route) {
  HttpRequest& request = exchange.request;
  const bool page = route && route->page == Page::kHome;
  if (std::optional<Fault> fault = hosts_.Check(request, page)) return fault;
  const std::string authorization(request.Header("Authorization"));
  const bool several = request.Count("Authorization") > 1;
  request.Remove("Authorization");  // nobody needs it from here on
  if (page || (route && route->open) || options_.keys.empty()) return std::nullopt;
  if (authorization.empty()) {
    return Unauthorized("this server needs a key: send Authorization: Bearer KEY");
  }
  const std::shared_ptr<const Key> key = several ? nullptr : keys_.Find(authorization);
  if (!key) return Unauthorized("the key is not one of this server's");
  exchange.key = key->number;
  exchange.allowance = key->allowance;
  return std::nullopt;
}

std::optional<Fault> Gate::AdmitCall(Exchange& exchange) {
  const HttpRequest& request = exchange.request;
  const ServerLimits& limits = options_.limits;
  if (std::optional<Fault> fault = CheckBodyHeaders(request)) return fault;
  if (request.content_length > limits.body_bytes) return BodyTooLarge(limits);
  const std::shared_ptr<Allowance> allowance = exchange.allowance ? exchange.allowance : everybody_;
  auto slot = Allowance::Enter(allowance, limits, Exchange::Clock::now());
  if (!slot) return std::move(slot).error();
  exchange.slot = *std::move(slot);
  exchange.body_claim = std::make_shared<BodyClaim>(bodies_);
  return AdmitPart(exchange, 0);
}

std::optional<Fault> Gate::AdmitPart(Exchange& exchange, uint64_t received) {
  const uint64_t soon = std::min(received + kBodyPart, exchange.request.content_length);
  if (exchange.body_claim->Cover(soon)) return std::nullopt;
  return Fault{.status = 529,
               .type = "overloaded_error",
               .message = "the server holds as many bytes of requests as it may (--held-bytes)",
               .retry_after = 1};
}

}  // namespace dikast::server
