#include "base/http_client.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>

namespace dikast {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using Kind = HttpFailure::Kind;

constexpr uint32_t kMostHeaderBytes = 64u << 10;

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct HttpConnection::Impl {
  Impl(HttpUrl to, const HttpLimits& limited) : url(std::move(to)), limits(limited) {}

  HttpUrl url;
  HttpLimits limits;
  asio::io_context context{1};
  std::optional<beast::tcp_stream> stream{};  // empty: not connected
  beast::flat_buffer buffer{};

  // Runs one asynchronous step to its end: only those have time-outs.
  template <class Start>
  beast::error_code Wait(const Start& start) {
    beast::error_code result;
    start([&result](beast::error_code error, const auto&...) { result = error; });
    context.restart();
    context.run();
    return result;
  }

  tl::unexpected<HttpFailure> Give(Kind kind, const beast::error_code& error, const char* doing) {
    stream.reset();
    buffer.clear();
    if (error == beast::error::timeout) {
      return tl::unexpected(
          HttpFailure{Kind::kTimeout, std::string("no answer in time (") + doing + ")"});
    }
    return tl::unexpected(HttpFailure{kind, error.message() + " (" + doing + ")"});
  }

  tl::expected<void, HttpFailure> Connect(Clock::time_point deadline) {
    asio::ip::tcp::resolver resolver(context);
    asio::ip::tcp::resolver::results_type addresses;
    beast::error_code error;
    addresses = resolver.resolve(url.host, std::to_string(url.port), error);
    if (error) return Give(Kind::kConnect, error, "looking the host up");
    stream.emplace(context);
    stream->expires_at(std::min(deadline, Clock::now() + limits.connect));
    error = Wait([&](const auto& done) { stream->async_connect(addresses, done); });
    if (error) return Give(Kind::kConnect, error, "connecting");
    stream->socket().set_option(asio::ip::tcp::no_delay(true), error);
    return {};
  }

  http::request<http::string_body> ToBeast(const HttpRequest& request) const {
    http::request<http::string_body> out;
    out.version(11);
    out.method_string(request.method);
    out.target(url.prefix + request.target);
    out.set(http::field::host, url.Authority());
    out.set(http::field::user_agent, "dikast");
    for (const auto& [name, value] : request.headers) out.set(name, value);
    out.body() = request.body;
    out.prepare_payload();
    return out;
  }

  tl::expected<HttpResponse, HttpFailure> Send(const HttpRequest& request) {
    http::request<http::string_body> out = ToBeast(request);
    // A server may refuse a large body and close before it has read it: its answer is then there.
    const beast::error_code unsent =
        Wait([&](const auto& done) { http::async_write(*stream, out, done); });
    if (unsent == beast::error::timeout) return Give(Kind::kTimeout, unsent, "sending");
    http::response_parser<http::string_body> parser;
    parser.body_limit(limits.response_bytes);
    parser.header_limit(kMostHeaderBytes);
    const beast::error_code error =
        Wait([&](const auto& done) { http::async_read(*stream, buffer, parser, done); });
    if (error == http::error::body_limit || error == http::error::header_limit) {
      return Give(Kind::kResponse, error, "the answer is larger than allowed");
    }
    if (error && error.category() == http::make_error_code(http::error::bad_version).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return Give(Kind::kResponse, error, "the answer is no HTTP");
    }
    if (error) return Give(Kind::kBroken, unsent ? unsent : error, "waiting for the answer");
    return Take(parser.release());
  }

  HttpResponse Take(http::response<http::string_body> in) {
    HttpResponse response{.status = in.result_int(), .headers = {}, .body = std::move(in.body())};
    for (const auto& field : in) {
      response.headers.emplace_back(View(field.name_string()), View(field.value()));
    }
    if (!in.keep_alive()) stream.reset();
    return response;
  }
};

HttpConnection::HttpConnection(HttpUrl url, const HttpLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(url), limits)) {}
HttpConnection::HttpConnection(HttpConnection&&) noexcept = default;
HttpConnection& HttpConnection::operator=(HttpConnection&&) noexcept = default;
HttpConnection::~HttpConnection() = default;

const HttpUrl& HttpConnection::url() const { return impl_->url; }

tl::expected<HttpResponse, HttpFailure> HttpConnection::Exchange(const HttpRequest& request) {
  return Exchange(request, impl_->limits.exchange);
}

tl::expected<HttpResponse, HttpFailure> HttpConnection::Exchange(const HttpRequest& request,
                                                                 std::chrono::milliseconds limit) {
  const Clock::time_point deadline = Clock::now() + limit;
  while (true) {
    const bool fresh = !impl_->stream;
    if (fresh) {
      if (auto connected = impl_->Connect(deadline); !connected) {
        return tl::unexpected(std::move(connected).error());
      }
    }
    impl_->stream->expires_at(deadline);
    tl::expected<HttpResponse, HttpFailure> response = impl_->Send(request);
    if (!response && response.error().kind == Kind::kBroken && !fresh) continue;
    if (response) response->new_connection = fresh;
    return response;
  }
}

}  // namespace dikast
