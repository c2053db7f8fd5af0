#include "server/redirect.h"

#include "server/fault.h"

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

}  // namespace

HttpResponse RedirectPage(const HttpRequest& request, const std::string& url) {
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
