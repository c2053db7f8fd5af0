// Any bytes on a connection: whole requests, parts of them, several at once. What comes back must
// be whole responses, none of them a fault of the server, and the connection must end with its
// client.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/connection.h"
#include "tests/fuzz/tiny_app.h"

namespace {

using namespace std::chrono_literals;
using boost::asio::generic::stream_protocol;

void ReadWhatIsThere(int socket, std::string& received) {
  char buffer[65536];
  ssize_t count = 0;
  while ((count = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT)) > 0) {
    received.append(buffer, static_cast<size_t>(count));
  }
}

// The value of a header in a head that the server wrote.
std::string HeaderOf(std::string_view head, std::string_view name) {
  const size_t at = head.find("\r\n" + std::string(name) + ": ");
  if (at == std::string_view::npos) return {};
  const size_t start = at + name.size() + 4;
  return std::string(head.substr(start, head.find("\r\n", start) - start));
}

void RequireResponses(std::string_view received, bool maybe_head_only) {
  while (!received.empty()) {
    const size_t end = received.find("\r\n\r\n");
    if (!received.starts_with("HTTP/1.1 ") || end == std::string_view::npos) std::abort();
    const std::string_view head = received.substr(0, end + 2);
    const int status = std::atoi(std::string(head.substr(9, 3)).c_str());
    received.remove_prefix(end + 4);
    if (status == 100) continue;
    if (maybe_head_only) return;  // where the next response starts is not known
    const size_t length = std::strtoull(HeaderOf(head, "Content-Length").c_str(), nullptr, 10);
    if (received.size() < length) std::abort();
    dikast::RequireGoodAnswer(static_cast<unsigned>(status), HeaderOf(head, "Content-Type"),
                              std::string(received.substr(0, length)));
    received.remove_prefix(length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& context = *new boost::asio::io_context(1);
  static auto& table = *new dikast::server::ConnectionTable;
  dikast::server::App& app = dikast::TinyApp();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  const int room = 1 << 20;
  for (const int end : ends) setsockopt(end, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  StartConnection(stream_protocol::socket(context, stream_protocol(AF_UNIX, 0), ends[0]), "fuzz",
                  app, table);
  if (send(ends[1], data, size, MSG_NOSIGNAL) != static_cast<ssize_t>(size)) std::abort();
  std::string received;
  context.restart();
  // Until the server waits for more; an answer that is being made comes from another thread.
  while (table.size() > 0 && (context.poll() > 0 || app.calls() > 0)) {
    ReadWhatIsThere(ends[1], received);
    if (app.calls() > 0) context.run_one_for(5ms);
    context.restart();
  }
  shutdown(ends[1], SHUT_WR);
  for (int i = 0; table.size() > 0 && i < 1000; ++i) {
    context.restart();
    context.run_one_for(5ms);
    ReadWhatIsThere(ends[1], received);
  }
  if (table.size() > 0) std::abort();
  close(ends[1]);
  RequireResponses(received,
                   std::string_view(reinterpret_cast<const char*>(data), size).find("HEAD") !=
                       std::string_view::npos);
  return 0;
}
