#include "tests/server/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace dikast::test {
namespace {

constexpr std::chrono::seconds kPatience(20);

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

RawResponse ParseHead(const std::string& head) {
  RawResponse response;
  response.status = std::atoi(head.substr(head.find(' ') + 1, 3).c_str());
  size_t at = head.find("\r\n") + 2;
  while (at < head.size()) {
    const size_t end = head.find("\r\n", at);
    const size_t colon = head.find(':', at);
    if (end == std::string::npos || colon > end) break;
    response.headers[Lower(head.substr(at, colon - at))] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  return response;
}

}  // namespace

RawClient::RawClient(uint16_t port) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
  close(std::exchange(socket_, -1));
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      received_(std::move(other.received_)),
      ended_(other.ended_) {}

RawClient::~RawClient() {
  if (socket_ >= 0) close(socket_);
}

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool RawClient::ReadMore(std::chrono::milliseconds wait) {
  pollfd waiting{socket_, POLLIN, 0};
  if (ended_ || poll(&waiting, 1, static_cast<int>(wait.count())) <= 0) return false;
  char buffer[65536];
  const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
  ended_ = count <= 0;
  if (count > 0) received_.append(buffer, static_cast<size_t>(count));
  return count > 0;
}

std::optional<RawResponse> RawClient::Receive(bool head_only) {
  size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadMore(kPatience)) return std::nullopt;
  }
  RawResponse response = ParseHead(received_.substr(0, end + 2));
  received_.erase(0, end + 4);
  if (response.status == 100) return Receive(head_only);
  const size_t length =
      head_only ? 0 : std::strtoull(response.headers["content-length"].c_str(), nullptr, 10);
  while (received_.size() < length) {
    if (!ReadMore(kPatience)) return std::nullopt;
  }
  response.body = received_.substr(0, length);
  received_.erase(0, length);
  return response;
}

bool RawClient::ReceiveContinue() {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  while (received_.size() < kContinue.size() && ReadMore(kPatience)) {
  }
  if (!received_.starts_with(kContinue)) return false;
  received_.erase(0, kContinue.size());
  return true;
}

bool RawClient::IsClosedWithin(std::chrono::milliseconds wait) {
  while (!ended_ && ReadMore(wait)) {
  }
  return ended_;
}

void RawClient::HalfClose() { shutdown(socket_, SHUT_WR); }

void RawClient::Reset() {
  const linger now{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(std::exchange(socket_, -1));
}

uint16_t PortOf(const std::string& url) {
  return static_cast<uint16_t>(std::atoi(url.substr(url.rfind(':') + 1).c_str()));
}

std::string Post(std::string_view target, std::string_view body, std::string_view headers) {
  std::string request = "POST " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n";
  request += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size());
  return request + "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

std::string Get(std::string_view target, std::string_view headers) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) +
         "\r\n";
}

}  // namespace dikast::test
