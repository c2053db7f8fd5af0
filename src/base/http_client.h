// A blocking HTTP/1.1 client: one connection, kept alive, every wait and every size limited.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dikast/status.h"

namespace dikast {

struct HttpUrl {
  std::string host;  // a name or an address, without the brackets of IPv6
  uint16_t port = 80;
  std::string prefix;  // "" or "/path" in front of every target, without a last "/"

  std::string Authority() const;  // "host:port", as a Host header has it
};

// "http://HOST[:PORT][/PREFIX]". Errors: kUsage, for https as well: there is no TLS here.
Result<HttpUrl> ParseHttpUrl(std::string_view url);

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // behind the prefix of the URL
  HttpHeaders headers;       // besides Host, Content-Length and User-Agent
  std::string body;
};

struct HttpResponse {
  unsigned status = 0;
  HttpHeaders headers;
  std::string body;
  bool new_connection = false;  // the exchange began with a connect

  // The first header of that name, in any case of letters; or null.
  const std::string* Find(std::string_view name) const;
};

struct HttpFailure {
  enum class Kind {
    kConnect,   // no connection: nothing was sent
    kTimeout,   // a limit of HttpLimits passed
    kBroken,    // the connection ended before the answer did
    kResponse,  // the answer is no HTTP, or larger than allowed
  };
  Kind kind = Kind::kBroken;
  std::string message;
};

struct HttpLimits {
  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds exchange{10'000};  // the connect included
  uint64_t response_bytes = 64u << 20;
};

// Not thread safe; one exchange at a time. A kept connection that the server has closed meanwhile
// is opened again, once and unseen but for `new_connection`.
class HttpConnection {
 public:
  HttpConnection(HttpUrl url, const HttpLimits& limits);
  HttpConnection(HttpConnection&&) noexcept;
  HttpConnection& operator=(HttpConnection&&) noexcept;
  ~HttpConnection();

  tl::expected<HttpResponse, HttpFailure> Exchange(const HttpRequest& request);
  // The same with another limit for this exchange.
  tl::expected<HttpResponse, HttpFailure> Exchange(const HttpRequest& request,
                                                   std::chrono::milliseconds limit);
  const HttpUrl& url() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dikast
