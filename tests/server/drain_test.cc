// The end of a server: no connection holds it up.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <chrono>

#include "server/app.h"
#include "server/connection.h"

namespace dikast::server {
namespace {

using boost::asio::generic::stream_protocol;

// A connection comes to idle after CloseIdle when its answer was on its way as the drain began.
TEST(Drain, AConnectionThatComesToIdleAfterItsStartIsClosed) {
  boost::asio::io_context context(1);
  ConnectionTable table;
  App app(ServerOptions{}, "127.0.0.1", Log::Open(LogLevel::kOff, {}).value(),
          [&] { return table.size(); });
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  app.BeginDrain();
  table.CloseIdle();
  StartConnection(stream_protocol::socket(context, stream_protocol(AF_UNIX, 0), ends[0]), "test",
                  app, table);
  context.run_for(std::chrono::seconds(30));  // less than a connection may idle
  EXPECT_EQ(table.size(), 0u);
  close(ends[1]);
}

}  // namespace
}  // namespace dikast::server
