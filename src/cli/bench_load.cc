// The load report: closed or open loop, with the health route sampled beside it.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/descriptor.h"
#include "base/http_load.h"
#include "cli/bench_http.h"
#include "cli/bench_report.h"

namespace dikast::cli {
namespace {

constexpr char kTarget[] = "/v1/systemone";

struct ServerUse {
  double seconds = 0;  // of processor time
  uint64_t resident_bytes = 0;
};

// From /proc; zeros without a process.
ServerUse ReadUse(int pid) {
  ServerUse use;
  if (pid == 0) return use;
  const std::string folder = "/proc/" + std::to_string(pid);
  std::string stat;
  std::getline(std::ifstream(folder + "/stat"), stat);
  const size_t name_end = stat.rfind(')');  // the name before it may hold anything
  if (name_end == std::string::npos) {
    Quit(Error{ErrorCode::kUsage, "there is no such process",
               "--server-pid " + std::to_string(pid)});
  }
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  use.seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  uint64_t size = 0, resident = 0;
  std::ifstream(folder + "/statm") >> size >> resident;
  use.resident_bytes = resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return use;
}

std::vector<double> Milliseconds(const std::vector<LoadSample>& samples, double LoadSample::*time,
                                 const std::function<bool(const LoadSample&)>& wanted) {
  std::vector<double> values;
  for (const LoadSample& sample : samples) {
    if (wanted(sample)) values.push_back(1000 * (sample.*time));
  }
  return values;
}

bool IsRefusal(const LoadSample& sample) {
  return sample.status == 429 || sample.status == 503 || sample.status == 529;
}

void WriteStatuses(const LoadResult& result, JsonWriter& report) {
  std::map<unsigned, int64_t> statuses;
  int64_t refusals = 0, without = 0;
  for (const LoadSample& sample : result.samples) {
    if (sample.status != 0) ++statuses[sample.status];
    if (!IsRefusal(sample)) continue;
    ++refusals;
    without += sample.retry_after ? 0 : 1;
  }
  report.Key("by_status").BeginObject();
  for (const auto& [status, count] : statuses) report.Key(std::to_string(status)).Integer(count);
  report.EndObject().Key("refused").Integer(refusals);
  report.Key("refused_without_retry_after").Integer(without);
  report.Key("failures").BeginObject();
  for (const auto& [reason, count] : result.failures) {
    report.Key(reason).Integer(static_cast<int64_t>(count));
  }
  report.EndObject().Key("unsent").Integer(static_cast<int64_t>(result.unsent));
}

void WriteStages(const std::vector<LoadSample>& samples, double warmup, JsonWriter& report) {
  std::map<std::string, std::vector<double>> stages;
  for (const LoadSample& sample : samples) {
    if (sample.status != 200 || sample.due < warmup) continue;
    for (const auto& [stage, value] : ParseServerTiming(sample.server_timing)) {
      stages[stage].push_back(value);
    }
  }
  report.Key("stages_ms").BeginObject();
  for (auto& [stage, values] : stages) WriteDistribution(std::move(values), report.Key(stage));
  report.EndObject();
}

// The first answers and the last ones are not those of a steady load: only what was done between.
double PerSecond(const BenchOptions& options, const LoadResult& result, bool only_good) {
  size_t count = 0;
  for (const LoadSample& sample : result.samples) {
    const double end = sample.due + sample.done;
    const bool counts = only_good ? sample.status == 200 : sample.status != 0;
    count += counts && end >= options.warmup && end <= options.duration ? 1 : 0;
  }
  return static_cast<double>(count) / (options.duration - options.warmup);
}

void WriteUse(const BenchOptions& options, const LoadResult& result, const ServerUse& before,
              const ServerUse& after, JsonWriter& report) {
  report.Key("generator").BeginObject();
  Rounded(report.Key("processor_share"), result.busy).EndObject();
  if (options.server_pid == 0) return;
  report.Key("server_use").BeginObject();
  Rounded(report.Key("processor_share"), (after.seconds - before.seconds) / result.seconds);
  report.Key("resident_bytes_before").Integer(static_cast<int64_t>(before.resident_bytes));
  report.Key("resident_bytes_after").Integer(static_cast<int64_t>(after.resident_bytes));
  report.EndObject();
}

void WriteRun(const BenchOptions& options, const LoadPlan& plan, const LoadResult& result,
              JsonWriter& report) {
  const auto good = [&](const LoadSample& sample) {
    return sample.status == 200 && sample.due >= options.warmup;
  };
  const auto refused = [&](const LoadSample& sample) {
    return IsRefusal(sample) && sample.due >= options.warmup;
  };
  report.Key("loop").String(plan.rate > 0 ? "open" : "closed");
  if (plan.rate > 0) report.Key("rate_per_s").Number(plan.rate);
  if (plan.impatient) report.Key("impatient").Bool(true);
  report.Key("connections").Integer(plan.connections);
  report.Key("duration_s").Number(options.duration).Key("warmup_s").Number(options.warmup);
  Rounded(report.Key("seconds_until_last_answer"), result.seconds);
  report.Key("sent").Integer(static_cast<int64_t>(result.samples.size()));
  WriteStatuses(result, report);
  Rounded(report.Key("good_per_s"), PerSecond(options, result, true));
  Rounded(report.Key("answered_per_s"), PerSecond(options, result, false));
  WriteDistribution(Milliseconds(result.samples, &LoadSample::done, good),
                    report.Key("latency_ms"));
  WriteDistribution(Milliseconds(result.samples, &LoadSample::done, refused),
                    report.Key("refusal_ms"));
  if (plan.rate > 0) {  // the wait for a free connection and the generator's own delay
    WriteDistribution(Milliseconds(result.samples, &LoadSample::sent, good),
                      report.Key("sent_late_ms"));
  }
  WriteStages(result.samples, options.warmup, report);
  const auto answered = [](const LoadSample& sample) { return sample.status == 200; };
  const std::vector<double> health = Milliseconds(result.beside, &LoadSample::done, answered);
  report.Key("health").BeginObject().Key("target").String(plan.beside_target);
  report.Key("not_answered").Integer(static_cast<int64_t>(result.beside.size() - health.size()));
  WriteDistribution(health, report.Key("ms")).EndObject();
}

void Tell(const BenchOptions& options, const std::string& name, const LoadResult& result) {
  std::vector<double> good = Milliseconds(result.samples, &LoadSample::done,
                                          [](const auto& s) { return s.status == 200; });
  std::sort(good.begin(), good.end());
  char text[200];
  std::snprintf(text, sizeof text, ": %.1f answers/s, %zu of %zu good",
                PerSecond(options, result, true), good.size(), result.samples.size());
  std::string line = name + text;
  if (!good.empty()) {
    std::snprintf(text, sizeof text, ", p50 %.2f ms, p99 %.2f ms", Percentile(good, 0.5),
                  Percentile(good, 0.99));
    line += text;
  }
  std::snprintf(text, sizeof text, ", generator %.0f %% busy", 100 * result.busy);
  Say(options, line + text);
}

}  // namespace

void MeasureLoad(const BenchOptions& options, const BenchTarget& target, JsonWriter& report) {
  if (options.warmup >= options.duration) {
    Quit(Error{ErrorCode::kUsage, "must be less than --duration, or nothing counts", "--warmup"});
  }
  RaiseDescriptorLimit(UINT64_MAX);  // a loop of thousands of connections needs as many
  uint64_t number = 0;               // goes on from run to run
  LoadPlan plan{.url = target.url,
                .target = kTarget,
                .headers = target.headers,
                .body = [&](uint64_t) { return target.requests.Body(number++); },
                .impatient = options.impatient,
                .seconds = options.duration};
  report.Key("runs").BeginArray();
  const auto run = [&](const std::string& name) {
    const ServerUse before = ReadUse(options.server_pid);
    const LoadResult result = OrQuit(RunLoad(plan));
    const ServerUse after = ReadUse(options.server_pid);
    report.BeginObject();
    WriteRun(options, plan, result, report);
    WriteUse(options, result, before, after, report);
    report.EndObject();
    Tell(options, name, result);
  };
  for (const uint32_t connections : options.concurrency) {
    plan.connections = connections;
    run("concurrency " + std::to_string(connections));
  }
  for (const double rate : options.rate) {
    plan.connections = options.connections;
    plan.rate = rate;
    run("rate " + std::to_string(static_cast<int64_t>(rate)) + "/s");
  }
  report.EndArray();
}

}  // namespace dikast::cli
