#include "server/head.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>

#include "server/fault.h"

namespace dikast::server {
namespace {

HttpResponse Refuse(unsigned status, const char* type, const char* message) {
  HttpResponse response = EitherFault({.status = status, .type = type, .message = message});
  response.close = true;
  return response;
}

bool IsVisible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 32 && c < 127; });
}

}  // namespace

HttpResponse ReadFault(ReadFailure failure) {
  switch (failure) {
    case ReadFailure::kTimeout:
      return Refuse(408, "request_timeout", "the request was not received in time");
    case ReadFailure::kBodyTooLarge:
      return Refuse(413, "request_too_large", "the body is larger than this server reads");
    case ReadFailure::kHeaderTooLarge:
      return Refuse(431, "headers_too_large",
                    "the request's head is larger than this server reads");
    case ReadFailure::kPartial:
      return Refuse(400, "partial_request", "the connection closed before the whole body came");
    case ReadFailure::kMalformed:
      break;
  }
  return Refuse(400, "malformed_request", "this is no well-formed HTTP/1.1 request");
}

void SplitTarget(std::string target, HttpRequest& request) {
  const size_t mark = target.find('?');
  if (mark != std::string::npos) request.query = target.substr(mark + 1);
  target.resize(std::min(mark, target.size()));
  request.path = std::move(target);
}

std::optional<HttpResponse> CheckHead(const Exchange& exchange, unsigned version) {
  const HttpRequest& request = exchange.request;
  if (!request.path.starts_with('/') || !IsVisible(request.path) || !IsVisible(request.query)) {
    return Refuse(400, "malformed_request",
                  "the target must be a path of ASCII characters, like /v1/systemone");
  }
  if (request.Count("Host") > 1 || (version == 11 && request.Count("Host") == 0)) {
    return Refuse(400, "malformed_request", "a request has exactly one Host header");
  }
  if (request.Count("Transfer-Encoding") > 0) {
    return Refuse(411, "length_required",
                  "this server takes no Transfer-Encoding; send the body with a Content-Length");
  }
  // Two lengths, even equal ones, are how a request is smuggled past a proxy. RFC 9112, section 6.3
  if (request.Count("Content-Length") > 1 ||
      request.Header("Content-Length").find(',') != std::string_view::npos) {
    return Refuse(400, "malformed_request", "a request has at most one Content-Length");
  }
  if (request.method == "POST" && request.Count("Content-Length") == 0) {
    return Refuse(411, "length_required", "send a Content-Length");
  }
  const std::string_view expect = request.Header("Expect");
  if (!expect.empty() && !SameName(expect, "100-continue")) {
    return Refuse(417, "expectation_failed", "the only expectation that is met is 100-continue");
  }
  return std::nullopt;
}

void Harden(HttpResponse& response) {
  static constexpr std::pair<const char*, const char*> kHeaders[] = {
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Frame-Options", "DENY"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
  for (const auto& wanted : kHeaders) {
    const bool set = std::any_of(response.headers.begin(), response.headers.end(),
                                 [&](const auto& h) { return SameName(h.first, wanted.first); });
    if (!set) response.headers.emplace_back(wanted);
  }
}

std::string NewRequestId() {
  thread_local std::mt19937_64 random(std::random_device{}());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(random()),
                static_cast<unsigned long long>(random()));
  return text;
}

bool IsSaneRequestId(std::string_view id) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-";
  return !id.empty() && id.size() <= 128 &&
         id.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace dikast::server
