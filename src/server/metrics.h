// Counters and histograms in Prometheus' text format, version 0.0.4. A library (prometheus-cpp)
// would bring an HTTP server and curl with it; this is a map and a mutex.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/scheduler.h"
#include "server/http.h"
#include "server/model_names.h"

namespace dikast::server {

// Cumulative buckets of one quantity.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void Observe(double value);
  void Write(std::string_view name, std::string_view labels, std::string& out) const;

 private:
  std::vector<double> bounds_;
  std::vector<uint64_t> counts_;  // one more: past the last bound
  double sum_ = 0;
};

// How many questions lost tokens of their options or instructions.
size_t CountCut(const Response& response);

// Thread-safe.
class Metrics {
 public:
  Metrics();

  // Every response, when it is written.
  void OnResponse(const Exchange& exchange, const HttpResponse& response, double seconds);
  // Every submission that went through the scheduler.
  void OnCompletion(const Completion& completion);
  void OnBatch(const BatchReport& batch);

  // `model` and `scheduler` may be null: not loaded yet.
  std::string Text(const ModelIdentity* model, const Scheduler* scheduler,
                   size_t connections) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, unsigned>, uint64_t> requests_;  // by route and status
  std::map<std::string, uint64_t> rejections_;                     // by cause
  uint64_t questions_ = 0, tokens_ = 0, truncations_ = 0, cuts_ = 0;
  Histogram request_seconds_, batch_sequences_, batch_tokens_;
  std::array<Histogram, 4> stages_;  // queue, tokenise, forward, decode
};

}  // namespace dikast::server
