// dikast bench http: what its two reports share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/http_client.h"
#include "base/json_writer.h"
#include "cli/bench_requests.h"
#include "cli/service_client.h"
#include "dikast/json.h"

namespace dikast::cli {

struct BenchOptions {
  ServiceOptions service;
  std::string out, requests, service_log, note;
  bool quiet = false;
  // The latency report.
  int consecutive = 50, long_inputs = 10, idle_rounds = 1, after_idle = 8;
  double idle = 60;         // seconds
  uint32_t long_words = 0;  // 0: what the server's max_len holds
  // The load report.
  std::vector<uint32_t> concurrency;
  std::vector<double> rate;
  double duration = 10, warmup = 1;  // seconds
  uint32_t connections = 256;
  bool impatient = false;
  int server_pid = 0;
};

struct BenchTarget {
  HttpUrl url;
  HttpHeaders headers;  // with the key
  std::string status;   // GET /status: a JSON object
  BenchRequests requests;
};

// One line for people, unless they asked for quiet.
void Say(const BenchOptions& options, const std::string& line);

// Writes the members of the report that differ between the two.
void MeasureLatency(const BenchOptions& options, const BenchTarget& target, JsonWriter& report);
void MeasureLoad(const BenchOptions& options, const BenchTarget& target, JsonWriter& report);

}  // namespace dikast::cli
