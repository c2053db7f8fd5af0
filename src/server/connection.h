// One connection: reads requests within the limits, hands them to the App, writes its answers.
#pragma once

#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <list>
#include <memory>
#include <string>

namespace dikast::server {

class App;
class Connection;

// The connections that are open, and which of them idle longest. Used by the I/O thread alone, but
// for size().
class ConnectionTable {
 public:
  using Idle = std::list<Connection*>;

  size_t size() const { return open_; }
  bool CloseLongestIdle();  // false when none idles
  void CloseIdle();         // at a drain

 private:
  friend class Connection;
  std::atomic<size_t> open_ = 0;
  Idle idle_;  // longest first
};

// Starts answering on `socket`; the connection keeps itself alive until it is closed. `app` and
// `table` must outlive the io_context's run.
void StartConnection(boost::asio::generic::stream_protocol::socket socket, std::string peer,
                     App& app, ConnectionTable& table);

}  // namespace dikast::server
