#include "server/redirect.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "server/fault.h"
#include "server/host_check.h"

namespace dikast::server {
namespace {

// For text and for attributes in double quotes.
std::string EscapeHtml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Of a host or an address; nothing else of a header belongs into a URL.
bool IsName(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == ':';
  });
}

// Where `url` is for who sent `request`: an unspecified address (0.0.0.0, [::]) is no place to go
// to, so the name that the server was called by stands for it.
std::string UrlFor(const HttpRequest& request, const std::string& url) {
  for (const std::string_view nowhere : {"http://0.0.0.0:", "http://[::]:"}) {
    const std::optional<std::string_view> host = WithoutPort(request.Header("Host"));
    if (!url.starts_with(nowhere) || !host || !IsName(*host)) continue;
    const bool ipv6 = host->find(':') != std::string_view::npos;
    return "http://" + std::string(ipv6 ? "[" : "") + std::string(*host) + (ipv6 ? "]:" : ":") +
           url.substr(nowhere.size());
  }
  return url;
}

}  // namespace

HttpResponse RedirectPage(const HttpRequest& request, const std::string& moved_to) {
  const std::string url = UrlFor(request, moved_to);
  if (request.path == "/health" || request.path == "/healthz") {
    return {.body = R"({"status":"moved"})"};
  }
  if (request.path != "/") {
    return EitherFault(
        {.status = 421, .type = "moved", .message = "this server has moved to " + url});
  }
  const std::string to = EscapeHtml(url);
  return {.body =
              "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>dikast has "
              "moved</title><meta http-equiv=\"refresh\" content=\"3; url=" +
              to + "\"><p>dikast has moved to <a href=\"" + to + "\">" + to + "</a>.</p></html>",
          .content_type = "text/html; charset=utf-8",
          .headers = {{"Content-Security-Policy", "default-src 'none'; base-uri 'none'"}}};
}

}  // namespace dikast::server
