// The server as a whole: keys that change, rooms that are full, clients that idle or vanish.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "base/memory_use.h"
#include "tests/server/raw_client.h"
#include "tests/server/test_server.h"

namespace dikast::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr char kRightKey[] = "Authorization: Bearer right-key\r\n";

int StatusOf(uint16_t port, const std::string& request) {
  RawClient client(port);
  client.Send(request);
  const std::optional<RawResponse> response = client.Receive();
  return response ? response->status : 0;
}

// The head of a request alone; returns when the server has taken it.
void SendHead(RawClient& client, const std::string& body) {
  const std::string request = Post("/v1/systemone", body, "Expect: 100-continue\r\n");
  client.Send(request.substr(0, request.size() - body.size()));
  ASSERT_TRUE(client.ReceiveContinue());
}

TEST(Exposure, OtherMachinesNeedKeysOrAWord) {
  ServerOptions options = TinyOptions();
  options.host = "0.0.0.0";
  const auto refused = Server::Start(options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("--allow-remote-without-keys"));
}

TEST(Exposure, ABadKeysFileStopsTheStart) {
  const KeysFile keys("right-key\n", 0644);
  ServerOptions options = TinyOptions();
  options.keys = keys.path();
  const auto refused = Server::Start(options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kModel);
  EXPECT_THAT(refused.error().message, HasSubstr("chmod 600"));
}

TEST(Exposure, KeysAreReadAgainAndErrorsKeepTheOldOnes) {
  KeysFile keys("right-key\n");
  ServerOptions options = TinyOptions();
  options.keys = keys.path();
  const auto server = StartTiny(options);
  const uint16_t port = PortOf(server->url());
  const std::string right = Post("/v1/systemone", kAsk, kRightKey);
  const std::string fresh = Post("/v1/systemone", kAsk, "Authorization: Bearer new-key\r\n");
  EXPECT_EQ(StatusOf(port, right), 200);
  EXPECT_EQ(StatusOf(port, fresh), 401);
  keys.Write("not a key\n");
  EXPECT_FALSE(server->ReloadKeys().has_value());
  EXPECT_EQ(StatusOf(port, right), 200);
  keys.Write("new-key\n");
  EXPECT_TRUE(server->ReloadKeys().has_value());
  EXPECT_EQ(StatusOf(port, right), 401);
  EXPECT_EQ(StatusOf(port, fresh), 200);
}

// A first request waits for its body, a second is told to wait; then both go through.
TEST(Exposure, OneRequestAtATime) {
  ServerOptions options = TinyOptions();
  options.limits.key_in_flight = 1;
  const auto server = StartTiny(options);
  const uint16_t port = PortOf(server->url());
  const std::string request = Post("/v1/systemone", kAsk);
  RawClient slow(port);
  SendHead(slow, kAsk);
  RawClient other(port);
  other.Send(request);
  const std::optional<RawResponse> second = other.Receive();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->status, 429);
  EXPECT_EQ(second->headers.at("retry-after"), "1");
  slow.Send(kAsk);
  EXPECT_EQ(slow.Receive()->status, 200);
  for (int i = 0; i < 20; ++i) {
    slow.Send(request);
    EXPECT_EQ(slow.Receive()->status, 200);  // the slot was free before its answer was out
  }
}

TEST(Exposure, BodiesThatAreNotReadYetTakeTurns) {
  ServerOptions options = TinyOptions();
  options.limits.held_bytes = 1500;
  const auto server = StartTiny(options);
  const uint16_t port = PortOf(server->url());
  const std::string body = std::string(kAsk) + std::string(1000, ' ');
  const std::string request = Post("/v1/systemone", body);
  RawClient slow(port);
  SendHead(slow, body);
  RawClient other(port);
  other.Send(request);
  const std::optional<RawResponse> second = other.Receive();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->status, 529);
  EXPECT_EQ(second->headers.at("retry-after"), "1");
  slow.Send(body);
  EXPECT_EQ(slow.Receive()->status, 200);
  EXPECT_EQ(StatusOf(port, request), 200);
}

// What is announced and never sent keeps nobody out; what has come counts.
TEST(Exposure, HeadsWithoutTheirBodiesTakeLittleRoom) {
  ServerOptions options = TinyOptions();
  options.limits.held_bytes = 4 << 20;
  const auto server = StartTiny(options);
  const uint16_t port = PortOf(server->url());
  const std::string large = std::string(kAsk) + std::string(3 << 20, ' ');
  std::vector<RawClient> slow;
  for (int i = 0; i < 12; ++i) SendHead(slow.emplace_back(port), large);
  EXPECT_EQ(StatusOf(port, Post("/v1/systemone", kAsk)), 200);
  slow[0].Send(std::string_view(large).substr(0, large.size() - 1));
  std::this_thread::sleep_for(milliseconds(500));  // the server has read it
  slow[1].Send(large);
  const std::optional<RawResponse> refused = slow[1].Receive();
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->status, 529);
  EXPECT_EQ(refused->headers.at("retry-after"), "1");
  slow[0].Send(" ");
  EXPECT_EQ(slow[0].Receive()->status, 200);
}

TEST(Exposure, TheLongestIdleConnectionMakesRoom) {
  ServerOptions options = TinyOptions();
  options.limits.connections = 2;
  const auto server = StartTiny(options);
  const uint16_t port = PortOf(server->url());
  RawClient first(port), second(port);
  for (RawClient* client : {&first, &second}) {
    client->Send(Get("/health"));
    EXPECT_EQ(client->Receive()->status, 200);
  }
  EXPECT_EQ(StatusOf(port, Get("/health")), 200);
  EXPECT_TRUE(first.IsClosedWithin(std::chrono::seconds(10)));
  second.Send(Get("/health"));
  EXPECT_TRUE(second.Receive().has_value());
}

// The client that leaves frees its place: its answer is dropped before it costs a forward pass.
TEST(Exposure, AClientThatHangsUpTakesNobodyElseWithIt) {
  const auto server = StartTiny(TinyOptions());
  const uint16_t port = PortOf(server->url());
  const std::string request = Post("/v1/systemone", kAsk);
  RawClient stays(port);
  for (int i = 0; i < 50; ++i) {
    RawClient leaves(port);
    leaves.Send(request);
    stays.Send(request);
    if (i % 2) leaves.HalfClose();
    if (i % 3 == 0) leaves.Reset();
    EXPECT_EQ(stays.Receive()->status, 200);
  }
}

TEST(Exposure, AClientThatHangsUpIsCounted) {
  const auto server = StartTiny(TinyOptions());
  const uint16_t port = PortOf(server->url());
  std::string states = "\"a\"";
  for (int i = 1; i < 64; ++i) states += ",\"a\"";
  RawClient busy(port);  // a second or so of work for the one thread
  busy.Send(Post("/v1/systemone/batch",
                 "{\"states\":[" + states + R"(],"questions":{"q":{"type":"noul"}}})"));
  RawClient(port).Send(Post("/v1/systemone", kAsk));  // and has left
  const std::string counted = R"(dikast_requests_total{route="/v1/systemone",status="499"} 1)";
  std::string metrics;
  for (int i = 0; i < 500 && metrics.find(counted) == std::string::npos; ++i) {
    std::this_thread::sleep_for(milliseconds(20));
    RawClient asks(port);
    asks.Send(Get("/metrics"));
    metrics = asks.Receive()->body;
  }
  EXPECT_THAT(metrics, HasSubstr(counted));
  EXPECT_EQ(busy.Receive()->status, 200);
}

// Accepted or still in the backlog: who was there before the drain gets an answer.
TEST(Exposure, WhoIsConnectedWhenTheDrainBeginsIsAnswered) {
  for (int round = 0; round < 5; ++round) {
    const auto server = StartTiny(TinyOptions());
    std::vector<RawClient> clients;
    for (int i = 0; i < 100; ++i) {
      clients.emplace_back(PortOf(server->url())).Send(Get("/health"));
    }
    EXPECT_EQ(server->Drain(), 0u);
    for (RawClient& client : clients) {
      const std::optional<RawResponse> response = client.Receive();
      ASSERT_TRUE(response.has_value());
      EXPECT_EQ(response->status, 200);
    }
  }
}

TEST(Exposure, AThousandIdleConnectionsCostLittle) {
  ServerOptions options = TinyOptions();
  const auto server = StartTiny(options);
  const uint16_t port = PortOf(server->url());
  EXPECT_EQ(StatusOf(port, Post("/v1/systemone", kAsk)), 200);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const size_t count = files.rlim_cur > 2200 ? 1000 : files.rlim_cur / 3;
  std::vector<RawClient> clients;
  clients.reserve(count);
  const uint64_t before = ResidentBytes();
  for (size_t i = 0; i < count; ++i) {
    clients.emplace_back(port);
    clients.back().Send(Get("/health"));
    ASSERT_EQ(clients.back().Receive()->status, 200);
  }
  const uint64_t each = (ResidentBytes() - before) / count;
  std::printf("%zu idle connections, %llu bytes each with their clients\n", count,
              static_cast<unsigned long long>(each));
  EXPECT_EQ(StatusOf(port, Get("/health")), 200);
  if (!kSanitized) {
    EXPECT_LT(each, 16u << 10);
  }
}

// The limit on open files when a server has started, and what its log says.
std::pair<rlim_t, std::string> LimitAfterStart(uint64_t connections) {
  rlimit old{}, now{};
  getrlimit(RLIMIT_NOFILE, &old);
  const rlimit few{128, old.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  ServerOptions options = TinyOptions();
  options.limits.connections = connections;
  options.log_level = "warn";
  const KeysFile log("");
  options.log_file = log.path();
  StartTiny(options).reset();
  getrlimit(RLIMIT_NOFILE, &now);
  setrlimit(RLIMIT_NOFILE, &old);
  std::ifstream stream(log.path());
  return {now.rlim_cur, {std::istreambuf_iterator<char>(stream), {}}};
}

TEST(Exposure, ThereAreDescriptorsForTheConnectionsThatAreAllowed) {
  const auto [limit, log] = LimitAfterStart(200);
  EXPECT_GT(limit, 200u);
  EXPECT_LT(limit, 300u);
  EXPECT_EQ(log, "");
  rlimit hard{};
  getrlimit(RLIMIT_NOFILE, &hard);
  const auto [most, warning] = LimitAfterStart(1 << 20);
  EXPECT_EQ(most, std::min<rlim_t>(hard.rlim_max, (1 << 20) + 64));
  EXPECT_EQ(warning.empty(), most > 1 << 20) << warning;
}

// The limit on open files is the process's own, so the clients' side counts, too.
TEST(Exposure, RunningOutOfDescriptorsDoesNotEndAccepting) {
  // UBSan needs a descriptor to read what a pointer leads to; without one it says "invalid vptr".
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs descriptors of its own";
  const auto server = StartTiny(TinyOptions());
  const uint16_t port = PortOf(server->url());
  rlimit old{};
  getrlimit(RLIMIT_NOFILE, &old);
  const rlimit few{64, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  {
    std::vector<RawClient> clients;
    for (int i = 0; i < 64; ++i) clients.emplace_back(port);  // the last ones find no descriptor
    std::this_thread::sleep_for(milliseconds(300));
  }
  setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_EQ(StatusOf(port, Get("/health")), 200);
}

}  // namespace
}  // namespace dikast::test
