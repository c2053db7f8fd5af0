// Who may ask, and how much: everything that is checked on a request's head, in this order: Host
// and Origin, key, then (of a call) type and encoding of the body, its length, rate and number of
// the key's requests, room for the body's first part.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "dikast/server.h"
#include "server/host_check.h"
#include "server/http.h"
#include "server/keys.h"
#include "server/rate.h"
#include "server/routes.h"

namespace dikast::server {

// Used by the I/O thread, but for LoadKeys.
class Gate {
 public:
  // `address` is listened on; options.host is what the user called it.
  Gate(const ServerOptions& options, std::string_view address);

  // Reads options.keys; after an error the old keys stay. Errors: of ReadKeyHashes.
  Result<void> LoadKeys();

  // `route` may be null: an unknown path, too, needs a key.
  std::optional<Fault> CheckCaller(Exchange& exchange, const Route* route);
  // For a POST that CheckCaller let pass; takes its place among the key's requests.
  std::optional<Fault> AdmitCall(Exchange& exchange);
  // Room for the next part of an admitted call's body, of which `received` bytes have come. Charged
  // as it comes: a head that announces much and sends nothing must not keep others out.
  std::optional<Fault> AdmitPart(Exchange& exchange, uint64_t received);

 private:
  const ServerOptions& options_;
  HostCheck hosts_;
  KeyRing keys_;
  std::shared_ptr<Allowance> everybody_ = std::make_shared<Allowance>();
  std::shared_ptr<BodyBudget> bodies_ = std::make_shared<BodyBudget>(options_.limits.held_bytes);
};

}  // namespace dikast::server
