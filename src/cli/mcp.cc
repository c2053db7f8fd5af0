// dikast mcp: the tools of an MCP host, on standard input and output.
#include <unistd.h>

#include <memory>

#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/line_reader.h"
#include "cli/mcp_session.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/service_client.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast mcp
  dikast mcp --model ~/models/laya --over-length window
  DIKAST_URL=http://127.0.0.1:8080 dikast mcp

For the configuration of an MCP host (Claude Code, Codex, opencode, ...): it starts the program and
gets the tools decide, choice, score, noul, models and status. With --url or $DIKAST_URL a running
server answers and no model is loaded here; the key comes from $DIKAST_API_KEY or --key-file.
)";

struct Arguments {
  ModelOptions model;
  ReadingOptions reading;
  ServiceOptions service;
};

OpenSource ToSource(const Arguments& arguments) {
  if (!FindUrl(arguments.service).empty()) {
    return RemoteSource(OrQuit(ServiceClient::Open(arguments.service)),
                        arguments.reading.over_length);
  }
  return LocalSource(ToEngineOptions(arguments.model), ToDecideOptions(arguments.reading));
}

// A host that has closed our output gets nothing more; the end of the input ends us.
void SendLine(const std::string& message) {
  try {
    Print(message + "\n");
  } catch (const Exit&) {
  }
}

int Run(const Arguments& arguments) {
  const StopSignal stop;
  LineReader reader(STDIN_FILENO, stop);
  McpSession session(ToSource(arguments), SendLine);
  for (Result<std::string> line;
       reader.Next(LineReader::Wait::kYes, line) == LineReader::Outcome::kLine;) {
    session.Take(line);
  }
  session.Finish(stop.received() == 0);
  return stop.received() == 0 ? kAnswered : kSignalBase + stop.received();
}

}  // namespace

void AddMcp(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("mcp", "Serve the tools of an MCP host on stdio");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  AddServiceOptions(*command, arguments->service);
  AddOverLengthOption(*command, arguments->reading.over_length);
  AddModelOptions(*command, arguments->model);
  AddMachineOptions(*command, arguments->model);
  for (const char* local :
       {"--model", "--max-len", "--head-max-len", "--calibration", "--threads", "--isa"}) {
    command->get_option("--url")->excludes(command->get_option(local));
  }
  command->callback([arguments, &exit_code] { exit_code = Run(*arguments); });
}

}  // namespace dikast::cli
