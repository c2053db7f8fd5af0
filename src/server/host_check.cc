#include "server/host_check.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <utility>

namespace dikast::server {
namespace {

bool IsIpv4(const std::string& host, uint32_t& address) {
  in_addr parsed{};
  if (inet_pton(AF_INET, host.c_str(), &parsed) != 1) return false;
  address = ntohl(parsed.s_addr);
  return true;
}

// Without its brackets.
bool IsIpv6(const std::string& host, in6_addr& address) {
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool IsAddress(std::string_view host) {
  uint32_t v4 = 0;
  in6_addr v6{};
  return IsIpv4(std::string(host), v4) || IsIpv6(std::string(host), v6);
}

}  // namespace

std::optional<std::string_view> WithoutPort(std::string_view host) {
  std::string_view port;
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    port = host.substr(end + 1);
    host = host.substr(1, end - 1);
  } else if (const size_t colon = host.find(':'); colon != std::string_view::npos) {
    port = host.substr(colon);
    host = host.substr(0, colon);
  }
  const bool digits = std::all_of(port.begin() + (port.empty() ? 0 : 1), port.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if (host.empty() || !digits || (!port.empty() && port.front() != ':')) return std::nullopt;
  return host;
}

bool IsLoopback(std::string_view host) {
  if (SameName(host, "localhost")) return true;
  uint32_t v4 = 0;
  if (IsIpv4(std::string(host), v4)) return v4 >> 24 == 127;
  in6_addr v6{};
  if (!IsIpv6(std::string(host), v6)) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

HostCheck::HostCheck(std::string_view bound, std::string_view name,
                     const std::vector<std::string>& allowed)
    : loopback_(IsLoopback(bound)), name_(name) {
  for (const std::string& host : allowed) allowed_.emplace_back(WithoutPort(host).value_or(host));
}

bool HostCheck::Knows(std::string_view host) const {
  const std::optional<std::string_view> name = WithoutPort(host);
  if (!name) return false;
  if (IsLoopback(*name) || (!loopback_ && IsAddress(*name)) || SameName(*name, name_)) return true;
  return std::any_of(allowed_.begin(), allowed_.end(),
                     [&](const std::string& allowed) { return SameName(allowed, *name); });
}

// A proxy before the server may write Host anew: then the name must be an allowed one.
bool HostCheck::IsOwnOrigin(std::string_view origin, std::string_view host) const {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const std::string_view from = origin.substr(scheme.size());
    if (SameName(from, host)) return true;
    const std::optional<std::string_view> name = WithoutPort(from);
    return name && std::any_of(allowed_.begin(), allowed_.end(), [&](const std::string& allowed) {
             return SameName(allowed, *name);
           });
  }
  return false;
}

std::optional<Fault> HostCheck::Check(const HttpRequest& request, bool page) const {
  const bool from_browser = request.Count("Origin") > 0;
  // HTTP/1.0 may leave Host out; no browser does.
  const bool must_know = (loopback_ && request.Count("Host") > 0) || page || from_browser;
  if (must_know && !Knows(request.Header("Host"))) {
    return Fault{.status = 421,
                 .type = "misdirected_request",
                 .message =
                     "the Host header does not name this server; it answers as localhost, "
                     "by its address, and as each --allowed-host"};
  }
  if (from_browser && (request.Count("Origin") > 1 ||
                       !IsOwnOrigin(request.Header("Origin"), request.Header("Host")))) {
    return Fault{.status = 403,
                 .type = "cross_origin_request",
                 .message = "this server takes no requests from pages of other origins"};
  }
  return std::nullopt;
}

}  // namespace dikast::server
