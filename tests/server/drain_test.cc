// The start and the end of a server.
#include <gmock/gmock.h>
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

// An App that loads nothing is one whose model is still being loaded.
TEST(Loading, WhatNeedsTheModelIsToldToComeBack) {
  App app(ServerOptions{}, "127.0.0.1", Log::Open(LogLevel::kOff, {}).value(),
          [] { return size_t{0}; });
  for (const char* path : {"/status", "/v1/models", "/v1/models/any", "/v1/systemone"}) {
    const auto exchange = std::make_shared<Exchange>();
    exchange->request.path = path;
    HttpResponse answer;
    exchange->OnAnswer([&](HttpResponse response) { answer = std::move(response); });
    app.OnRequest(exchange);
    EXPECT_EQ(answer.status, 503u) << path;
    EXPECT_EQ(answer.cause, "unavailable") << path;
    EXPECT_THAT(answer.body, testing::HasSubstr("{\"detail\":{\"error_type\":")) << path;
    EXPECT_THAT(answer.headers, testing::Contains(testing::Pair("Retry-After", "1"))) << path;
  }
}

}  // namespace
}  // namespace dikast::server
