// dikast serve: the HTTP server.
#include <csignal>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/options.h"
#include "cli/output.h"
#include "dikast/server.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast serve
  dikast serve --port 0 --model ~/models/laya
  dikast serve --host 0.0.0.0 --keys /etc/dikast/keys
  dikast serve --config /etc/dikast/serve.toml
  dikast serve --redirect-from 8765
  curl -s http://127.0.0.1:8080/v1/systemone -d '{"state": "I was charged twice.",
    "questions": {"refund": {"type": "noul", "instructions": "Does the customer want money back?"}}}'

SIGTERM and SIGINT answer what was accepted, then stop; SIGHUP reads the keys file again.
)";

struct Arguments {
  ModelOptions model;
  ReadingOptions reading;
  ServerOptions server;
  uint16_t redirect_from = 0;
};

void AddLimits(CLI::App& command, ServerLimits& limits) {
  for (const LimitRow& row : LimitTable()) {
    command.add_option("--" + std::string(row.name), limits.*row.value, row.about)
        ->check(CLI::Range(row.least, row.most))
        ->capture_default_str()
        ->group("Limits");
  }
}

// Blocks the signals in every thread that is started from now on; Wait takes them.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  int Wait() const {
    int signal = 0;
    while (sigwait(&set_, &signal) != 0) {
    }
    return signal;
  }

 private:
  sigset_t set_;
};

// Listens on the old port and tells the new address, which the other options name.
void BecomeRedirect(Arguments& arguments) {
  ServerOptions& server = arguments.server;
  if (server.port == 0) {
    Quit(Error{
        ErrorCode::kUsage, "--redirect-from points to --port, which must be given, not 0", {}});
  }
  const bool ipv6 = server.host.find(':') != std::string::npos;
  server.redirect_to = "http://" + (ipv6 ? "[" + server.host + "]" : server.host) + ":" +
                       std::to_string(server.port) + "/";
  server.port = arguments.redirect_from;
}

int Run(Arguments& arguments) {
  if (arguments.redirect_from != 0) {
    BecomeRedirect(arguments);
  } else {
    arguments.server.engine = ToEngineOptions(arguments.model);
  }
  arguments.server.decide = ToDecideOptions(arguments.reading);
  const Signals signals;
  const std::unique_ptr<Server> server = OrQuit(Server::Start(arguments.server));
  OrQuit(server->WaitUntilReady());
  Print(arguments.redirect_from == 0
            ? "dikast serves on " + server->url() + "\n"
            : server->url() + " points to " + arguments.server.redirect_to + "\n");
  while (signals.Wait() == SIGHUP) {
    if (const Result<void> read = server->ReloadKeys(); !read) Complain(Describe(read.error()));
  }
  const uint64_t cut_off = server->Drain();
  if (cut_off == 0) return kAnswered;
  Complain("stopped with " + std::to_string(cut_off) + " requests unanswered");
  return kSomeLinesFailed;
}

}  // namespace

void AddServe(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("serve", "Serve decisions over HTTP");
  command->footer(kExamples);
  command->fallthrough();  // --config is the program's: CLI11 reads such a file before a command
  const auto arguments = std::make_shared<Arguments>();
  AddModelOptions(*command, arguments->model);
  AddMachineOptions(*command, arguments->model);
  AddReadingOptions(*command, arguments->reading);
  ServerOptions& server = arguments->server;
  command->add_option("--host", server.host, "Address to listen on")->capture_default_str();
  command->add_option("--port", server.port, "Port to listen on; 0 takes a free one")
      ->capture_default_str();
  command->add_option("--keys", server.keys,
                      "File with one key or sha256:HEX a line; its owner alone may read it");
  command->add_flag("--allow-remote-without-keys", server.remote_without_keys,
                    "Let other machines ask without a key");
  command->add_option("--allowed-host", server.hosts,
                      "A further name that clients call this server by; repeatable");
  command
      ->add_option("--redirect-from", arguments->redirect_from,
                   "Listen on this port, load no model, and point to --host and --port")
      ->check(CLI::Range(1, 65535));
  command->add_option("--replicas", server.replicas, "Copies of the model, each with its threads")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--log-level", server.log_level, "debug, info, warn, error or off")
      ->capture_default_str();
  command->add_option("--log-file", server.log_file, "Append the log here, not to stderr");
  command->add_option("--alias", server.aliases, "A further model name to answer as; repeatable");
  command->add_flag("--any-model", server.any_model, "Answer whatever model a request names");
  AddLimits(*command, server.limits);
  command->callback([arguments, &exit_code] { exit_code = Run(*arguments); });
}

}  // namespace dikast::cli
