// The latency report: first, consecutive, after idle, long input; one request at a time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/bench_http.h"
#include "cli/bench_report.h"
#include "cli/service_log.h"

namespace dikast::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kTarget[] = "/v1/systemone";
constexpr std::chrono::milliseconds kLongestExchange(120'000);
// A server may write its log a moment after it has answered.
constexpr std::chrono::milliseconds kLogDelay(1'500);

struct Timed {
  double at = 0, milliseconds = 0;  // at: when it was sent, seconds since 1970
  unsigned status = 0;              // 0: no answer
  bool new_connection = false;
  std::string request_id, failure;
  std::map<std::string, double> stages;
  std::optional<int64_t> input_tokens;

  double end() const { return at + milliseconds / 1000; }
};

struct Gap {
  double begin, end;
};

class LatencyRun {
 public:
  LatencyRun(const BenchOptions& options, const BenchTarget& target)
      : options_(options),
        target_(target),
        connection_(target.url, {.exchange = kLongestExchange}),
        prefix_("bench-" + std::to_string(static_cast<uint64_t>(Now() * 1000)) + "-") {}

  void Write(JsonWriter& report);

 private:
  Timed Send(std::string body);
  void Phase(const char* name, const std::vector<Timed>& phase, JsonWriter& report);
  std::vector<Timed> SendSome(int count);
  std::vector<Timed> SendLong();
  std::vector<Timed> Idle();
  void WriteGaps(double first_at, JsonWriter& report);

  const BenchOptions& options_;
  const BenchTarget& target_;
  HttpConnection connection_;
  std::string prefix_;
  uint64_t number_ = 0;
  std::set<std::string> own_;
  std::vector<Gap> gaps_;
};

std::optional<int64_t> ReadTokens(const std::string& body) {
  const Result<JsonValue> value = ParseJson(body);
  const JsonValue* usage = value ? value->Find("usage") : nullptr;
  const JsonValue* tokens = usage == nullptr ? nullptr : usage->Find("input_tokens");
  return tokens == nullptr || !tokens->AsNumber() ? std::nullopt : tokens->AsNumber()->ToInteger();
}

Timed LatencyRun::Send(std::string body) {
  Timed timed;
  timed.request_id = prefix_ + std::to_string(number_++);
  HttpRequest request{
      .method = "POST", .target = kTarget, .headers = target_.headers, .body = std::move(body)};
  request.headers.emplace_back("Content-Type", "application/json");
  request.headers.emplace_back("X-Request-Id", timed.request_id);
  own_.insert(timed.request_id);
  timed.at = Now();
  const Clock::time_point start = Clock::now();
  const auto response = connection_.Exchange(request);
  timed.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (!response) {
    timed.failure = response.error().message;
    return timed;
  }
  timed.status = response->status;
  timed.new_connection = response->new_connection;
  // A server that gives ids of its own logs those.
  if (const std::string* id = response->Find("x-request-id")) timed.request_id = *id;
  own_.insert(timed.request_id);
  if (const std::string* timing = response->Find("server-timing")) {
    timed.stages = ParseServerTiming(*timing);
  }
  if (timed.status == 200) timed.input_tokens = ReadTokens(response->body);
  return timed;
}

void WriteOne(const Timed& timed, JsonWriter& report) {
  report.BeginObject().Key("at");
  Rounded(report, timed.at);
  Rounded(report.Key("ms"), timed.milliseconds);
  report.Key("status").Integer(timed.status).Key("request_id").String(timed.request_id);
  report.Key("new_connection").Bool(timed.new_connection);
  if (timed.input_tokens) report.Key("input_tokens").Integer(*timed.input_tokens);
  if (!timed.failure.empty()) report.Key("failure").String(timed.failure);
  report.Key("stages_ms").BeginObject();
  for (const auto& [stage, value] : timed.stages) Rounded(report.Key(stage), value);
  report.EndObject().EndObject();
}

void LatencyRun::Phase(const char* name, const std::vector<Timed>& phase, JsonWriter& report) {
  std::vector<double> times;
  for (const Timed& timed : phase) {
    if (timed.status == 200) times.push_back(timed.milliseconds);
  }
  report.Key(name).BeginObject();
  report.Key("not_answered").Integer(static_cast<int64_t>(phase.size() - times.size()));
  WriteDistribution(times, report.Key("ms"));
  report.Key("requests").BeginArray();
  for (const Timed& timed : phase) WriteOne(timed, report);
  report.EndArray().EndObject();
  std::sort(times.begin(), times.end());
  char text[160];
  std::snprintf(text, sizeof text, "%-12s %4zu of %4zu answered", name, times.size(), phase.size());
  std::string line = text;
  if (!times.empty()) {
    std::snprintf(text, sizeof text, ", p50 %.2f ms, p95 %.2f ms, max %.2f ms",
                  Percentile(times, 0.5), Percentile(times, 0.95), times.back());
    line += text;
  }
  Say(options_, line);
}

std::vector<Timed> LatencyRun::SendSome(int count) {
  std::vector<Timed> phase;
  for (int i = 0; i < count; ++i) phase.push_back(Send(target_.requests.Body(number_)));
  return phase;
}

// As many words as the model holds beside the question, unless an option says.
std::vector<Timed> LatencyRun::SendLong() {
  constexpr uint32_t kBesideTheState = 64, kOtherwise = 256;
  uint32_t words = options_.long_words;
  if (words == 0) {
    const Result<JsonValue> status = ParseJson(target_.status);
    const JsonValue* model = status ? status->Find("model") : nullptr;
    const JsonValue* most = model == nullptr ? nullptr : model->Find("max_len");
    const double held = most != nullptr && most->AsNumber() ? most->AsNumber()->ToDouble() : 0;
    words = held > 2 * kBesideTheState ? static_cast<uint32_t>(held) - kBesideTheState : kOtherwise;
  }
  std::vector<Timed> phase;
  for (int i = 0; i < options_.long_inputs; ++i) phase.push_back(Send(LongBody(number_, words)));
  return phase;
}

std::vector<Timed> LatencyRun::Idle() {
  const double begin = Now();
  Say(options_, "idle for " + std::to_string(static_cast<int>(options_.idle)) + " s");
  std::this_thread::sleep_for(std::chrono::duration<double>(options_.idle));
  std::vector<Timed> phase = SendSome(options_.after_idle);
  gaps_.push_back({begin, phase.front().at});
  return phase;
}

void LatencyRun::WriteGaps(double first_at, JsonWriter& report) {
  const bool given = !options_.service_log.empty();
  std::vector<LoggedRequest> log;
  if (given) {
    std::this_thread::sleep_for(kLogDelay);
    log = OrQuit(ReadServiceLog(options_.service_log));
  }
  size_t own = 0, before = 0;
  for (const LoggedRequest& request : log) {
    own += own_.contains(request.id) ? 1 : 0;
    before += request.has_body && request.end < first_at ? 1 : 0;
  }
  const bool complete = own >= number_;  // the log is of this server, and nothing was left out
  report.Key("service_log").BeginObject().Key("given").Bool(given);
  if (given) {
    report.Key("file").String(options_.service_log);
    report.Key("own_requests").Integer(static_cast<int64_t>(own));
    report.Key("own_requests_sent").Integer(static_cast<int64_t>(number_));
    const size_t others = CountOthers(log, own_, first_at, Now());
    report.Key("other_requests_in_run").Integer(static_cast<int64_t>(others));
    report.Key("requests_before_first").Integer(static_cast<int64_t>(before));
  }
  report.EndObject().Key("idle_gaps").BeginArray();
  for (const Gap& gap : gaps_) {
    report.BeginObject();
    Rounded(report.Key("begin"), gap.begin);
    Rounded(report.Key("end"), gap.end);
    Rounded(report.Key("seconds"), gap.end - gap.begin);
    const size_t others = CountOthers(log, own_, gap.begin, gap.end);
    const bool proved = given && complete && others == 0;
    if (given) report.Key("other_requests").Integer(static_cast<int64_t>(others));
    report.Key("proved").Bool(proved).Key("note");
    if (!given) {
      report.String("no access log was given: that no other request came is not proved");
    } else if (!complete) {
      report.String("the log lacks requests of this run: it is another server's, or incomplete");
    } else {
      report.String(proved ? "the server's access log shows no request in this time"
                           : "others sent requests meanwhile: the service was not idle");
    }
    report.EndObject();
    if (!proved) Say(options_, "the idle time is not proved; see idle_gaps in the report");
  }
  report.EndArray();
}

void LatencyRun::Write(JsonWriter& report) {
  const std::vector<Timed> first = SendSome(1);
  Phase("first", first, report);
  Phase("consecutive", SendSome(options_.consecutive), report);
  std::vector<Timed> first_after, further;
  for (int round = 0; round < options_.idle_rounds; ++round) {
    const std::vector<Timed> after = Idle();
    first_after.push_back(after.front());
    further.insert(further.end(), after.begin() + 1, after.end());
  }
  Phase("after_idle_first", first_after, report);
  Phase("after_idle_next", further, report);
  Phase("long_input", SendLong(), report);
  WriteGaps(first.front().at, report);
}

}  // namespace

void MeasureLatency(const BenchOptions& options, const BenchTarget& target, JsonWriter& report) {
  LatencyRun(options, target).Write(report);
}

}  // namespace dikast::cli
