// A client that sends any bytes at all, and reads what comes back with a time-out on everything.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dikast::test {

struct RawResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class RawClient {
 public:
  explicit RawClient(uint16_t port);  // on 127.0.0.1
  RawClient(RawClient&& other) noexcept;
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  bool connected() const { return socket_ >= 0; }
  // False when the server has closed.
  bool Send(std::string_view bytes);
  // Nothing when the connection ends before a whole response, or after 20 s. Skips 100 Continue.
  std::optional<RawResponse> Receive(bool head_only = false);
  // 100 Continue has come: the server took the head of a request that expects it.
  bool ReceiveContinue();
  // The server closes within `wait`.
  bool IsClosedWithin(std::chrono::milliseconds wait);
  void HalfClose();
  void Reset();

 private:
  bool ReadMore(std::chrono::milliseconds wait);

  int socket_ = -1;
  std::string received_;
  bool ended_ = false;
};

// The port of "http://127.0.0.1:8080".
uint16_t PortOf(const std::string& url);

// A POST of `body` with Host, Content-Type and Content-Length.
std::string Post(std::string_view target, std::string_view body, std::string_view headers = {});
std::string Get(std::string_view target, std::string_view headers = {});

}  // namespace dikast::test
