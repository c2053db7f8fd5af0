// SIGTERM, SIGKILL and SIGHUP against the program itself, under load.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/raw_client.h"
#include "tests/server/test_server.h"

namespace dikast::test {
namespace {

constexpr int kPatienceMs = 60'000;

// `dikast serve` with the bundled model; killed with the object.
class ServeProcess {
 public:
  explicit ServeProcess(std::vector<std::string> options) {
    options.insert(options.begin(), {DIKAST_PROGRAM, "serve", "--log-level", "off", "--threads",
                                     "1", "--model", DIKAST_SOURCE_DIR "/models/dikast-mini-v1"});
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      std::vector<char*> arguments;
      for (std::string& option : options) arguments.push_back(option.data());
      arguments.push_back(nullptr);
      execv(DIKAST_PROGRAM, arguments.data());
      _exit(127);
    }
    close(out[1]);
    port_ = ReadPort(out[0]);
    close(out[0]);
  }
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;
  ~ServeProcess() {
    if (pid_ > 0) End(SIGKILL);
  }

  uint16_t port() const { return port_; }  // 0: it did not start
  void Signal(int signal) const { kill(pid_, signal); }
  // The exit status, or 128 + the signal that ended it.
  int End(int signal) {
    Signal(signal);
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  // From the line "dikast serves on http://127.0.0.1:8080".
  static uint16_t ReadPort(int descriptor) {
    std::string line;
    char byte = 0;
    pollfd waiting{descriptor, POLLIN, 0};
    while (poll(&waiting, 1, kPatienceMs) > 0 && read(descriptor, &byte, 1) == 1 && byte != '\n') {
      line += byte;
    }
    return line.empty() ? uint16_t{0} : PortOf(line);
  }

  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

struct Tally {
  std::atomic<int> answered = 0, put_off = 0, lost = 0, odd = 0;
};

// Asks again and again until nobody listens any more. On one connection as long as it lasts, or on
// a new one each time.
void AskUntilRefused(uint16_t port, bool keep_alive, Tally& tally) {
  const std::string request =
      Post("/v1/systemone", kAsk, keep_alive ? "" : "Connection: close\r\n");
  while (true) {
    RawClient client(port);
    if (!client.connected()) return;
    for (bool open = true, first = true; open; first = false) {
      client.Send(request);
      const std::optional<RawResponse> response = client.Receive();
      // A connection that the kernel took and the program never saw is no request that it accepted.
      if (!response) {
        if (!first) ++tally.lost;
        break;
      }
      const bool waits = response->status == 503 && response->headers.contains("retry-after");
      ++(response->status == 200 ? tally.answered : waits ? tally.put_off : tally.odd);
      const auto connection = response->headers.find("connection");
      open = connection == response->headers.end() || connection->second != "close";
    }
  }
}

TEST(Signals, TermUnderLoadLosesNoRequest) {
  ServeProcess server({"--port", "0"});
  ASSERT_NE(server.port(), 0);
  Tally tally;
  std::vector<std::thread> clients;
  for (int i = 0; i < 12; ++i) {
    clients.emplace_back(AskUntilRefused, server.port(), i % 2 == 0, std::ref(tally));
  }
  while (tally.answered < 300 && tally.odd == 0) std::this_thread::yield();
  const int status = server.End(SIGTERM);
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(status, 0);
  EXPECT_GE(tally.answered, 300);
  EXPECT_EQ(tally.lost, 0);
  EXPECT_EQ(tally.odd, 0);
}

TEST(Signals, AfterKillThePortIsTakenAgainAtOnce) {
  ServeProcess first({"--port", "0"});
  ASSERT_NE(first.port(), 0);
  RawClient idle(first.port()), busy(first.port());
  idle.Send(Get("/health"));
  EXPECT_EQ(idle.Receive()->status, 200);
  busy.Send(Post("/v1/systemone", kAsk));
  EXPECT_EQ(first.End(SIGKILL), 128 + SIGKILL);
  ServeProcess second({"--port", std::to_string(first.port())});
  ASSERT_EQ(second.port(), first.port());
  RawClient client(second.port());
  client.Send(Post("/v1/systemone", kAsk));
  const std::optional<RawResponse> response = client.Receive();
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(second.End(SIGINT), 0);
}

TEST(Signals, HupReadsTheKeysAgain) {
  KeysFile keys("old-key\n");
  ServeProcess server({"--port", "0", "--keys", keys.path()});
  ASSERT_NE(server.port(), 0);
  const auto status = [&](const char* key) {
    RawClient client(server.port());
    client.Send(Get("/status", "Authorization: Bearer " + std::string(key) + "\r\n"));
    return client.Receive()->status;
  };
  EXPECT_EQ(status("old-key"), 200);
  keys.Write("new-key\n");
  server.Signal(SIGHUP);
  for (int i = 0; i < 1000 && status("new-key") != 200; ++i) std::this_thread::yield();
  EXPECT_EQ(status("new-key"), 200);
  EXPECT_EQ(status("old-key"), 401);
}

}  // namespace
}  // namespace dikast::test
