// HTTP messages as plain data, and one exchange of a request for a response.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "server/trace.h"

namespace dikast::server {

class Allowance;
class BodyClaim;

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method, path, query;  // path as sent, not decoded
  Headers headers = {};
  std::string body = {};
  uint64_t content_length = 0;  // as announced, whatever has been read
  std::string peer = {};        // address of the client

  // The first header of that name in any case; "" when there is none.
  std::string_view Header(std::string_view name) const;
  size_t Count(std::string_view name) const;
  void Remove(std::string_view name);
};

struct HttpResponse {
  unsigned status = 200;
  std::string body = {};
  std::string content_type = "application/json";
  Headers headers = {};
  std::string cause = {};   // why the request was refused; for log and metrics
  std::string reason = {};  // of a 500; for the log, never sent
  bool close = false;       // end the connection after it
};

// What log and metrics tell of an exchange. Written before Answer, read after it.
struct ExchangeFacts {
  std::string route = "-";  // the pattern of Routes(), never the path as sent
  uint64_t questions = 0, tokens = 0;
  std::string timing = {};  // value of Server-Timing
  std::optional<TraceContext> trace = {};
};

// One request and the way to answer it. The connection and the handler share it.
class Exchange {
 public:
  using Clock = std::chrono::steady_clock;
  using Respond = std::function<void(HttpResponse)>;

  HttpRequest request;
  std::string id;  // x-request-id
  ExchangeFacts facts;
  Clock::time_point received = Clock::now();
  size_t key = 0;  // which key was shown; 0: none

  std::shared_ptr<Allowance> allowance;  // of the key; null: that of everybody
  // What the exchange takes up, given back when it is answered and when its body is parsed.
  std::shared_ptr<void> slot;
  std::shared_ptr<BodyClaim> body_claim;

  // How to answer; before Answer may be called.
  void OnAnswer(Respond respond) { respond_ = std::move(respond); }
  // From any thread; only the first call counts.
  void Answer(HttpResponse response);

  // The client has left: an answer will reach nobody.
  bool gone() const { return gone_; }
  void Leave();
  // What to do when the client leaves; at once if it has.
  void OnLeave(std::function<void()> action);

 private:
  std::atomic<bool> gone_ = false;
  std::mutex mutex_;
  Respond respond_;
  std::function<void()> on_leave_;
};

// "Not Found" for 404.
std::string_view ReasonPhrase(unsigned status);

}  // namespace dikast::server
