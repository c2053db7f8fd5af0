// dikast: typed decisions on the command line.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <clocale>
#include <csignal>
#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "dikast/engine.h"

namespace dikast::cli {
namespace {

constexpr char kAbout[] =
    "Typed decisions: given a state and questions (choose one of these, is this true, where on "
    "this\n"
    "scale), calibrated probabilities from one forward pass. No text is generated.";

constexpr char kFooter[] = R"(Examples:
  dikast decide --preset support --state "I was charged twice. Please refund me."
  dikast decide --preset guard --state-file prompt.txt --json
  dikast decide --ndjson < requests.ndjson > answers.ndjson
  dikast presets support

Exit codes: 0 answered, 1 some lines failed, 2 usage, 3 request refused, 4 model or file,
5 internal fault, 6 no answer from a server. 'dikast COMMAND --help' has each command's options;
'man dikast' has it all.
)";

// A stream that the caller closed would be the next file opened: an answer file that is also
// standard error. These stand-ins fail each read and write as the closed stream would.
void OccupyClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest number
  }
}

// CLI11 would only say that a command is missing.
void RefuseUnknownCommand(const CLI::App& program, const std::string& word) {
  std::string known;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  Quit({ErrorCode::kUsage, "there is no command '" + word + "'; there are " + known, {}});
}

int Parse(CLI::App& program, int argc, char** argv, int& exit_code) {
  try {
    program.parse(argc, argv);
    return exit_code;
  } catch (const CLI::CallForHelp&) {
    Print(program.help());
    return kAnswered;
  } catch (const CLI::CallForVersion&) {
    Print("dikast " + std::string(Version()) + "\n");
    return kAnswered;
  } catch (const CLI::ConfigError& error) {
    Complain("--config: " + std::string(error.what()) +
             "; 'dikast serve --help' lists what [serve] may hold");
    return kUsageError;
  } catch (const CLI::Error& error) {
    Complain(error.what());
    PrintError("See 'dikast --help' and 'dikast COMMAND --help'.\n");
    return kUsageError;
  }
}

int Main(int argc, char** argv) {
  CLI::App program(kAbout, "dikast");
  program.footer(kFooter);
  program.set_version_flag("--version", std::string(Version()), "Print the version and exit");
  program.require_subcommand(1);
  program.set_config("--config", "", "Options of 'serve' from a TOML file: [serve] port = 9000");
  program.allow_config_extras(CLI::config_extras_mode::error);
  int exit_code = kAnswered;
  AddDecide(program, exit_code);
  AddAsk(program, exit_code);
  AddServe(program, exit_code);
  AddEval(program, exit_code);
  AddCalibrate(program, exit_code);
  AddTokens(program, exit_code);
  AddTokenize(program, exit_code);
  AddInfo(program, exit_code);
  AddMcp(program, exit_code);
  AddBench(program, exit_code);
  AddPresets(program, exit_code);
  if (argc > 1 && argv[1][0] != '-') RefuseUnknownCommand(program, argv[1]);
  return Parse(program, argc, argv, exit_code);
}

}  // namespace
}  // namespace dikast::cli

int main(int argc, char** argv) {
  using namespace dikast::cli;
  OccupyClosedStreams();
  std::setlocale(LC_CTYPE, "");   // which characters the terminal shows
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(), see output.h
  try {
    return Main(argc, argv);
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const std::bad_alloc&) {
    Complain("out of memory");
    return kModelOrFile;
  } catch (const std::exception& error) {
    Complain(std::string("internal fault: ") + error.what());
    return kInternalFault;
  }
}
