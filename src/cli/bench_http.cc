// dikast bench http: how long a running server takes, and how much it bears.
#include "cli/bench_http.h"

#include <memory>

#include "cli/bench_report.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "dikast/engine.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast bench http --out latency.json --service-log access.log
  dikast bench http --out load.json --concurrency 1,4,16,64,256 --duration 20 --server-pid 1234
  dikast bench http --out overload.json --rate 2000,4000 --requests requests.ndjson

Without --concurrency or --rate: the latency report, for an idle server. It keeps apart the first
request, consecutive ones, the first ones after --idle seconds without any (proved from the server's
access log, if given) and long inputs. With them: a closed loop of so many connections, or an open
loop of so many requests a second whose times count from when each was due. No two requests are the
same. The report is a new JSON file; an existing one is never overwritten.
)";

constexpr char kLatencyGroup[] = "Latency";
constexpr char kLoadGroup[] = "Load";

// GET /status, or GET /health of a server that has no status.
std::string ReadIdentity(ServiceClient& client) {
  ServiceResult<HttpResponse> status = client.Get("/status");
  if (!status) {
    if (const auto health = client.Get("/health")) status = *health;
  }
  std::string body = OrQuit(std::move(status)).body;
  if (ParseJson(body)) return body;
  Quit(ServiceFault{{ErrorCode::kInternal, "its status is no JSON", client.name()}});
}

BenchTarget OpenTarget(const BenchOptions& options) {
  ServiceClient client = OrQuit(ServiceClient::Open(options.service));
  const std::string key = OrQuit(FindKey(options.service));
  HttpHeaders headers = {{"Accept", "application/json"}};
  if (!key.empty()) headers.emplace_back("Authorization", "Bearer " + key);
  std::string identity = ReadIdentity(client);
  return {OrQuit(ParseHttpUrl(client.name())), std::move(headers), std::move(identity),
          OrQuit(BenchRequests::Open(options.requests))};
}

int Run(const BenchOptions& options) {
  OrQuit(RefuseExisting(options.out));
  const BenchTarget target = OpenTarget(options);
  const bool load = !options.concurrency.empty() || !options.rate.empty();
  JsonWriter report;
  report.BeginObject().Key("report").String(load ? "load" : "latency");
  report.Key("dikast").String(Version()).Key("command").String(CommandLine());
  if (!options.note.empty()) report.Key("note").String(options.note);
  report.Key("started").String(Timestamp(Now())).Key("machine");
  WriteMachine(report);
  report.Key("server").BeginObject().Key("url").String("http://" + target.url.Authority());
  report.Key("status").Raw(target.status).EndObject();
  report.Key("requests").BeginObject();
  report.Key("source").String(options.requests.empty() ? "built in" : options.requests);
  report.Key("kinds").Integer(static_cast<int64_t>(target.requests.kinds()));
  report.Key("distinct").String("each state carries the number of its request").EndObject();
  load ? MeasureLoad(options, target, report) : MeasureLatency(options, target, report);
  OrQuit(WriteNew(options.out, report.EndObject().Take() + "\n"));
  Say(options, "report: " + options.out);
  return kAnswered;
}

void AddLatencyOptions(CLI::App& command, BenchOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->capture_default_str()->group(kLatencyGroup);
  };
  add("--consecutive", options.consecutive, "Requests one after the other")
      ->check(CLI::Range(1, 1'000'000));
  add("--idle", options.idle, "Seconds without a request")->check(CLI::Range(0.0, 86400.0));
  add("--idle-rounds", options.idle_rounds, "How often to be idle")->check(CLI::Range(0, 1000));
  add("--after-idle", options.after_idle, "Requests after each idle time")
      ->check(CLI::Range(1, 1'000'000));
  add("--long-inputs", options.long_inputs, "Requests with a long state")
      ->check(CLI::Range(0, 1'000'000));
  add("--long-words", options.long_words, "Words of such a state (0: what the model holds)")
      ->check(CLI::Range(0, 1'000'000));
  add("--service-log", options.service_log, "The server's access log, to prove the idle time")
      ->capture_default_str();
}

void AddLoadOptions(CLI::App& command, BenchOptions& options) {
  CLI::Option* concurrency =
      command
          .add_option("--concurrency", options.concurrency,
                      "Closed loop: connections that each send when they are answered; several "
                      "numbers (1,16,64) make several runs")
          ->delimiter(',')
          ->check(CLI::Range(1, 10'000))
          ->group(kLoadGroup);
  command
      .add_option("--rate", options.rate,
                  "Open loop: requests a second, whatever is answered; several make several runs")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 1e6))
      ->excludes(concurrency)
      ->group(kLoadGroup);
  command
      .add_flag("--impatient", options.impatient,
                "Closed loop: ask again at once after a refusal, whatever its Retry-After says")
      ->needs(concurrency)
      ->group(kLoadGroup);
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command.add_option(name, value, help)->capture_default_str()->group(kLoadGroup);
  };
  add("--duration", options.duration, "Seconds of each run")->check(CLI::Range(0.1, 86400.0));
  add("--warmup", options.warmup, "Seconds at its start that do not count")
      ->check(CLI::Range(0.0, 86400.0));
  add("--connections", options.connections, "Most connections of an open loop")
      ->check(CLI::Range(1, 10'000));
  add("--server-pid", options.server_pid, "The server's process, to report its processor time");
}

}  // namespace

void Say(const BenchOptions& options, const std::string& line) {
  if (!options.quiet) PrintError(Printable(line) + "\n");
}

void AddBench(CLI::App& program, int& exit_code) {
  CLI::App* bench = program.add_subcommand("bench", "Measure a running server");
  bench->require_subcommand(1);
  bench->footer("See 'dikast bench http --help'.\n");
  CLI::App* command = bench->add_subcommand("http", "Latency or load over HTTP, as a JSON report");
  command->footer(kExamples);
  const auto options = std::make_shared<BenchOptions>();
  options->service.retries = 0;
  AddServiceOptions(*command, options->service);
  command->add_option("--out", options->out, "The report: a new file")->required();
  command->add_option("--requests", options->requests,
                      "Requests, one a line as for 'dikast decide --ndjson' (default: built in)");
  command->add_option("--note", options->note, "A text for the report, such as the commit");
  AddLatencyOptions(*command, *options);
  AddLoadOptions(*command, *options);
  command->add_flag("--quiet", options->quiet, "Nothing on stderr but errors");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace dikast::cli
