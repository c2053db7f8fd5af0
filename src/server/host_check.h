// Which Host and Origin a request may carry: against DNS rebinding and posts from other sites.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/fault.h"
#include "server/http.h"

namespace dikast::server {

// "127.0.0.1", "::1" and the like; of names only "localhost".
bool IsLoopback(std::string_view host);

// The host of "name", "name:80" or "[::1]:80", without its brackets; nothing for what is no host.
std::optional<std::string_view> WithoutPort(std::string_view host);

// A page whose name is made to point here is still called by that name in Host: on a loopback
// address only loopback names and `allowed` are answered. On another address, where a proxy or a
// service name may stand before the server, that holds for what browsers ask: the page, and every
// request with an Origin; there an IP address passes, which nobody can make point elsewhere.
class HostCheck {
 public:
  // `bound` is the address that is listened on, `name` what the user called it. Requests may come
  // to that name, but from pages of it only on the same port.
  HostCheck(std::string_view bound, std::string_view name, const std::vector<std::string>& allowed);

  // Errors: 421 for the Host, 403 for an Origin that is not this server.
  std::optional<Fault> Check(const HttpRequest& request, bool page) const;

 private:
  bool Knows(std::string_view host) const;
  bool IsOwnOrigin(std::string_view origin, std::string_view host) const;

  bool loopback_;
  std::string name_;
  std::vector<std::string> allowed_;
};

}  // namespace dikast::server
