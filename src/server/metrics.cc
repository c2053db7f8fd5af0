#include "server/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/memory_use.h"

namespace dikast::server {
namespace {

// From a small model's forward pass to the patience of the official SDKs.
const std::vector<double> kSeconds = {.0001, .0005, .001, .0025, .005, .01, .025, .05,
                                      .1,    .25,   .5,   1,     2.5,  5,   10};
const std::vector<double> kCounts = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
const std::vector<double> kTokens = {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};

constexpr const char* kStages[] = {"queue", "tokenise", "forward", "decode"};

// Whole as far as a double is exact: a counter past 1e9 must still move by one.
std::string Number(double value) {
  char text[32];
  const bool whole = std::abs(value) < 0x1p53 && value == std::floor(value);
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.9g", value);
  return text;
}

// A label's value: backslash, quote and line end are escaped.
std::string Label(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void Head(std::string& out, const char* name, const char* type, const char* help) {
  out += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void Line(std::string& out, std::string_view name, std::string_view labels, double value) {
  out += name;
  if (!labels.empty()) out += "{" + std::string(labels) + "}";
  out += " " + Number(value) + "\n";
}

void Single(std::string& out, const char* name, const char* type, const char* help, double value) {
  Head(out, name, type, help);
  Line(out, name, "", value);
}

}  // namespace

size_t CountCut(const Response& response) {
  return static_cast<size_t>(
      std::count_if(response.plans.begin(), response.plans.end(),
                    [](const QuestionPlan& plan) { return plan.cuts.head_cut(); }));
}

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::Observe(double value) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  ++counts_[static_cast<size_t>(bound - bounds_.begin())];
  sum_ += value;
}

void Histogram::Write(std::string_view name, std::string_view labels, std::string& out) const {
  const std::string base(name), more = labels.empty() ? "" : std::string(labels) + ",";
  uint64_t count = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    const std::string bound = i < bounds_.size() ? Number(bounds_[i]) : "+Inf";
    Line(out, base + "_bucket", more + "le=\"" + bound + "\"", static_cast<double>(count));
  }
  Line(out, base + "_sum", labels, sum_);
  Line(out, base + "_count", labels, static_cast<double>(count));
}

Metrics::Metrics()
    : request_seconds_(kSeconds),
      batch_sequences_(kCounts),
      batch_tokens_(kTokens),
      stages_{Histogram(kSeconds), Histogram(kSeconds), Histogram(kSeconds), Histogram(kSeconds)} {}

void Metrics::OnResponse(const Exchange& exchange, const HttpResponse& response, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{exchange.facts.route, response.status}];
  if (!response.cause.empty()) ++rejections_[response.cause];
  request_seconds_.Observe(seconds);
}

void Metrics::OnCompletion(const Completion& completion) {
  const std::lock_guard lock(mutex_);
  for (const Result<Response>& response : completion.responses) {
    if (!response) continue;
    questions_ += response->answers.size();
    tokens_ += response->usage.input_tokens;
    truncations_ += response->usage.truncated_questions.size();
    cuts_ += CountCut(*response);
  }
  // One that was refused or taken back before its first forward pass has no stages.
  const bool answered = std::any_of(completion.responses.begin(), completion.responses.end(),
                                    [](const auto& response) { return response.has_value(); });
  if (!answered || completion.forwards == 0) return;
  const StageTimes& times = completion.times;
  const StageTimes::Milliseconds stages[] = {times.queue, times.tokenise, times.forward,
                                             times.decode};
  for (size_t s = 0; s < stages_.size(); ++s) stages_[s].Observe(stages[s].count() / 1000);
}

void Metrics::OnBatch(const BatchReport& batch) {
  const std::lock_guard lock(mutex_);
  batch_sequences_.Observe(batch.sequences);
  batch_tokens_.Observe(batch.tokens);
}

std::string Metrics::Text(const ModelIdentity* model, const Scheduler* scheduler,
                          size_t connections) const {
  std::string out;
  const std::lock_guard lock(mutex_);
  Head(out, "dikast_requests_total", "counter", "Responses by route and status.");
  for (const auto& [key, count] : requests_) {
    Line(out, "dikast_requests_total",
         "route=\"" + Label(key.first) + "\",status=\"" + std::to_string(key.second) + "\"",
         static_cast<double>(count));
  }
  Head(out, "dikast_rejections_total", "counter", "Requests that were refused, by cause.");
  for (const auto& [cause, count] : rejections_) {
    Line(out, "dikast_rejections_total", "cause=\"" + Label(cause) + "\"",
         static_cast<double>(count));
  }
  const auto counter = [&](const char* name, const char* help, uint64_t value) {
    Single(out, name, "counter", help, static_cast<double>(value));
  };
  counter("dikast_questions_total", "Questions answered.", questions_);
  counter("dikast_input_tokens_total", "Tokens of the sequences that were forwarded.", tokens_);
  counter("dikast_truncations_total", "Questions that lost tokens of their state.", truncations_);
  counter("dikast_cuts_total", "Questions that lost tokens of their options or instructions.",
          cuts_);
  Head(out, "dikast_request_seconds", "histogram", "From the head of a request to its answer.");
  request_seconds_.Write("dikast_request_seconds", "", out);
  Head(out, "dikast_stage_seconds", "histogram", "Stages of an answered request.");
  for (size_t s = 0; s < stages_.size(); ++s) {
    stages_[s].Write("dikast_stage_seconds", std::string("stage=\"") + kStages[s] + "\"", out);
  }
  Head(out, "dikast_batch_sequences", "histogram", "Sequences of one forward pass.");
  batch_sequences_.Write("dikast_batch_sequences", "", out);
  Head(out, "dikast_batch_tokens", "histogram", "Tokens of one forward pass.");
  batch_tokens_.Write("dikast_batch_tokens", "", out);
  const SchedulerLoad load = scheduler ? scheduler->load() : SchedulerLoad{};
  const auto gauge = [&](const char* name, const char* help, double value) {
    Single(out, name, "gauge", help, value);
  };
  gauge("dikast_queue_requests", "Requests that wait or are being answered.",
        static_cast<double>(load.submissions));
  gauge("dikast_queue_tokens", "Tokens that wait.", static_cast<double>(load.tokens));
  gauge("dikast_queue_oldest_seconds", "Age of the oldest request.",
        static_cast<double>(load.oldest.count()) / 1000);
  gauge("dikast_connections", "Open connections.", static_cast<double>(connections));
  gauge("dikast_resident_bytes", "Resident memory.", static_cast<double>(ResidentBytes()));
  gauge("dikast_ready", "1 when the model is loaded.", model ? 1 : 0);
  if (model) {
    Head(out, "dikast_model_info", "gauge", "The model that answers.");
    Line(out, "dikast_model_info",
         "name=\"" + Label(model->info.name) + "\",sha256=\"" + model->sha256 + "\",isa=\"" +
             model->info.isa + "\"",
         1);
  }
  return out;
}

}  // namespace dikast::server
