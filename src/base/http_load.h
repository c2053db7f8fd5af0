// A load generator: one thread, hundreds of connections, closed or open loop.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/http_client.h"

namespace dikast {

// Closed loop (rate 0): each connection sends its next request when its last one is answered; after
// a refusal it first waits as long as Retry-After says, unless it is impatient.
// Open loop: request n is due at n / rate seconds whatever was answered before; it is sent by the
// first connection that is free, and its time counts from when it was due.
struct LoadPlan {
  HttpUrl url;
  std::string target;
  HttpHeaders headers;
  std::function<std::string(uint64_t)> body;  // of the n-th request
  uint32_t connections = 1;
  double rate = 0;         // requests a second
  bool impatient = false;  // a closed loop that overhears Retry-After
  double seconds = 1;      // no request is due or sent after that; those under way are waited for
  std::chrono::milliseconds exchange{30'000};
  // A GET on a connection of its own, sampled meanwhile.
  std::string beside_target = "/health";
  std::chrono::milliseconds beside_every{50};
};

// Times in seconds; `due` since the start of the run.
struct LoadSample {
  double due = 0;   // closed loop: when it was sent
  double sent = 0;  // since `due`: the wait for a free connection, and the generator's own delay
  double done = 0;  // since `due`: the latency
  unsigned status = 0;        // 0: no answer, counted in `failures`
  bool retry_after = false;   // has the header
  double wait = 0;            // that the answer asks for (base/retry_after.h)
  std::string server_timing;  // as the header has it
};

struct LoadResult {
  std::vector<LoadSample> samples;  // as they were done
  std::vector<LoadSample> beside;
  std::map<std::string, uint64_t> failures;  // reason to count
  uint64_t unsent = 0;                       // due, but no connection was free until the end
  double seconds = 0;                        // until the last answer
  double busy = 0;                           // share of that time this thread used the processor
};

// Errors: kUsage when the host is not found.
Result<LoadResult> RunLoad(const LoadPlan& plan);

}  // namespace dikast
