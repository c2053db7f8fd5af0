// The HTTP server: every decision protocol on one port.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dikast/decision.h"
#include "dikast/engine.h"
#include "dikast/json.h"
#include "dikast/status.h"

namespace dikast {

// Every bound of the server; LimitTable() says what each one means. 0 means no limit where the
// table says so.
struct ServerLimits {
  uint64_t header_bytes = 16 << 10, body_bytes = 4 << 20, decoded_bytes = 8 << 20;
  uint64_t held_bytes = 256 << 20;
  uint64_t depth = 64, values = JsonLimits().values, string_bytes = 4 << 20;
  uint64_t questions = 1000, options = 255, states = 64;
  uint64_t batch_tokens = 1024, queue_requests = 1024, queue_tokens = 1 << 20;
  // Official SDKs give up on a try after 10 s: what is late is told so before that.
  uint64_t longest_wait_ms = 6000, deadline_ms = 8000;
  uint64_t connections = 2048, idle_ms = 75'000, read_ms = 10'000, write_ms = 10'000;
  uint64_t drain_ms = 20'000;
  uint64_t key_rate = 0, key_burst = 100, key_in_flight = 0;
};

// One row of the table that `dikast serve --help`, docs/serving.md and GET /status are made of.
struct LimitRow {
  const char* name;  // "body-bytes": the option --body-bytes
  uint64_t ServerLimits::*value;
  uint64_t least, most;
  const char* about;
};
std::span<const LimitRow> LimitTable();

struct ServerOptions {
  EngineOptions engine = {};
  int replicas = 1;  // copies of the model, each with its share of engine.threads
  std::string host = "127.0.0.1";
  uint16_t port = 8080;                   // 0: any free one
  std::filesystem::path keys = {};        // empty: no key is needed
  bool remote_without_keys = false;       // allow a host that is not loopback without keys
  std::vector<std::string> aliases = {};  // further model names that are accepted
  bool any_model = false;                 // accept every model name
  std::vector<std::string> hosts = {};    // further Host names that the page is served to
  std::string redirect_to = {};  // a URL: only say that the server moved there; loads no model
  DecideOptions decide = {};
  ServerLimits limits = {};
  std::string log_level = "info";       // "debug", "info", "warn", "error", "off"
  std::filesystem::path log_file = {};  // empty: standard error
};

// Listens and answers from its own threads. Thread-safe.
class Server {
 public:
  // Returns when the port is open; the model is loaded behind it: until then /health answers, and
  // everything that needs the model is told to come back. Errors: kUsage (an option), kModel (port
  // in use, keys file).
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options);
  ~Server();  // stops at once

  // "http://127.0.0.1:8080".
  const std::string& url() const;
  // Waits until the model is loaded. Errors: those of Engine::Load.
  Result<void> WaitUntilReady();
  // Stops accepting, answers what was accepted, for at most limits.drain_ms; then closes. Returns
  // how many requests were cut off.
  uint64_t Drain();
  // Reads the keys file again. Errors: the old keys stay.
  Result<void> ReloadKeys();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dikast
