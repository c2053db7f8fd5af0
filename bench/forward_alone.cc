// The packed forward pass without HTTP: what `dikast serve` could reach if its own work cost
// nothing.
//
//   build/bench/forward_alone --requests FILE.ndjson [--model DIR] [--batch 16] [--seconds 10]
//                             [--threads 1] [--batch-tokens 1024] > forward-alone.json
//
// Calls Engine::DecideMany on so many requests at a time, again and again. Parsing is done before.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "bench/machine.h"
#include "dikast/engine.h"

namespace {

using Clock = std::chrono::steady_clock;

std::vector<dikast::Request> ReadRequests(const std::string& file) {
  std::vector<dikast::Request> requests;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    auto request = dikast::ParseRequest(line, {});
    if (!request) std::exit((std::fprintf(stderr, "%s\n", request.error().message.c_str()), 3));
    requests.push_back(*std::move(request));
  }
  return requests;
}

double Seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options = {{"--requests", ""}, {"--model", ""},
                                                {"--batch", "16"},  {"--seconds", "10"},
                                                {"--threads", "1"}, {"--batch-tokens", "1024"}};
  for (int i = 1; i + 1 < argc; i += 2) options.at(argv[i]) = argv[i + 1];
  const auto number = [&](const char* name) {
    return std::strtoul(options[name].c_str(), nullptr, 10);
  };
  const auto folder = dikast::FindModel(options["--model"]);
  if (!folder) return std::fprintf(stderr, "%s\n", folder.error().message.c_str()), 4;
  auto engine =
      dikast::Engine::Load({.model = *folder,
                            .threads = static_cast<int>(number("--threads")),
                            .batch_tokens = static_cast<uint32_t>(number("--batch-tokens"))});
  if (!engine) return std::fprintf(stderr, "%s\n", engine.error().message.c_str()), 4;
  const std::vector<dikast::Request> requests = ReadRequests(options["--requests"]);
  const size_t batch = std::min<size_t>(number("--batch"), requests.size());
  if (batch == 0) return std::fputs("--requests FILE needs at least one request\n", stderr), 2;

  uint64_t answered = 0, tokens = 0;
  const auto run = [&](double seconds) {
    const Clock::time_point start = Clock::now();
    answered = tokens = 0;
    for (size_t first = 0; Seconds(start) < seconds;
         first = (first + batch) % (requests.size() - batch + 1)) {
      const auto responses = engine->DecideMany({requests.data() + first, batch}, {});
      for (const auto& response : responses) {
        if (response) ++answered, tokens += response->usage.input_tokens;
      }
    }
    return Seconds(start);
  };
  run(1);  // pages and caches
  const double seconds = run(static_cast<double>(number("--seconds")));

  dikast::JsonWriter json;
  json.BeginObject().Key("benchmark").String("forward_alone").Key("cpu").String(dikast::CpuName());
  json.Key("commit").String(dikast::Commit()).Key("model").String(engine->info().name);
  json.Key("isa").String(engine->info().isa).Key("threads").Integer(engine->info().threads);
  json.Key("batch").Integer(static_cast<int64_t>(batch));
  json.Key("seconds").Number(seconds).Key("requests").Integer(static_cast<int64_t>(answered));
  json.Key("requests_per_second").Number(static_cast<double>(answered) / seconds);
  json.Key("tokens_per_second").Number(static_cast<double>(tokens) / seconds);
  std::puts(json.EndObject().Take().c_str());
}
