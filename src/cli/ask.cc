// dikast ask: the requests of decide, answered by a running server.
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/line_request.h"
#include "cli/lines.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/request_source.h"
#include "cli/service_answer.h"
#include "cli/service_client.h"
#include "cli/table.h"
#include "dikast/engine.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast ask --preset support --state "I was charged twice. Please refund me."
  DIKAST_URL=http://10.0.0.7:8080 dikast ask --questions questions.json --state-file mail.txt
  dikast ask --ndjson --request in.ndjson --output out.ndjson --resume

Takes the requests of 'dikast decide' and prints the same answers; nothing is loaded here. The key,
if the server wants one, comes from $DIKAST_API_KEY or --key-file. A busy or failing server is asked
again, twice unless --retries says otherwise, after the wait that it names (retry-after-ms,
Retry-After) or 0.5 to 5 s.
)";

constexpr char kTarget[] = "/v1/systemone";

struct Arguments {
  SourceOptions source;
  std::string over_length, model;
  ServiceOptions service;
  FormOptions form;
  LineOptions lines;
  int concurrency = 4;
};

std::string ToBody(JsonValue document, const Arguments& arguments) {
  AddMember(document, "over_length", arguments.over_length);
  AddMember(document, "model", arguments.model);
  return JsonWriter().Value(document).Take();
}

int AskOne(const Arguments& arguments) {
  ServiceClient client = OrQuit(ServiceClient::Open(arguments.service));
  JsonValue document = OrQuit(ReadDocument(arguments.source, {}));
  const Request request = OrQuit(ParseRequest(document, {}));
  const HttpResponse response =
      OrQuit(client.Post(kTarget, ToBody(std::move(document), arguments)));
  const std::string cut = DescribeTruncation(response);
  if (!cut.empty() && !arguments.form.quiet) Complain(cut);
  if (!WantsTable(arguments.form)) {
    Print(response.body + "\n");
    return kAnswered;
  }
  const Result<Response> answers = ReadSystemOne(request, response.body);
  if (!answers) Quit(ServiceFault{answers.error()});
  Print(RenderTable(request, *answers, DescribeTerminal(STDOUT_FILENO)));
  return kAnswered;
}

struct LineOutcome {
  std::optional<JsonValue> id;
  ServiceResult<HttpResponse> response;
};

LineOutcome AskLine(ServiceClient& client, const Arguments& arguments,
                    const Result<std::string>& line) {
  LineRequest parsed = ParseLine(line, {});
  if (!parsed.request) {
    return {std::move(parsed.id),
            tl::unexpected(ServiceFault{parsed.request.error(), kRequestRefused})};
  }
  return {std::move(parsed.id), client.Post(kTarget, ToBody(*ParseJson(*line), arguments))};
}

// Several requests at once, so that the server can batch them.
std::vector<LineOutcome> AskAll(std::vector<ServiceClient>& clients, const Arguments& arguments,
                                std::span<const Result<std::string>> lines) {
  std::vector<LineOutcome> outcomes(lines.size());
  std::atomic<size_t> next = 0;
  const auto work = [&](ServiceClient& client) {
    for (size_t i; (i = next++) < lines.size();) outcomes[i] = AskLine(client, arguments, lines[i]);
  };
  std::vector<std::jthread> threads;
  for (size_t c = 1; c < std::min(clients.size(), lines.size()); ++c) {
    threads.emplace_back([&, c] { work(clients[c]); });
  }
  work(clients[0]);
  threads.clear();
  return outcomes;
}

// A refused line fails alone; a server that is gone, or refuses the key, ends the run.
void Report(const std::vector<LineOutcome>& outcomes, LineAnswers& answers) {
  for (const LineOutcome& outcome : outcomes) {
    const JsonValue* id = outcome.id ? &*outcome.id : nullptr;
    if (outcome.response) {
      answers.Add(id, outcome.response->body);
      if (!DescribeTruncation(*outcome.response).empty()) answers.NoteCut();
    } else if (outcome.response.error().exit_code == kRequestRefused) {
      answers.Fail(id, outcome.response.error().error);
    } else {
      Quit(outcome.response.error());
    }
  }
}

// The server's own account of its model; whether it is still the same decides about --resume.
Fingerprint MakeFingerprint(ServiceClient& client, const Arguments& arguments) {
  const HttpResponse models = OrQuit(client.Get("/v1/models"));
  return {{"dikast", std::string(Version())},
          {"server", client.name()},
          {"models", models.body},
          {"model", arguments.model},
          {"over_length", arguments.over_length}};
}

int AskLines(const Arguments& arguments) {
  std::vector<ServiceClient> clients;
  for (int c = 0; c < arguments.concurrency; ++c) {
    clients.push_back(OrQuit(ServiceClient::Open(arguments.service)));
  }
  LineJob job{
      .input = arguments.source.request.value_or("-"),
      .output = arguments.lines.output,
      .resume = arguments.lines.resume,
      .quiet = arguments.form.quiet,
      .about_cuts = " cut: the state, options or instructions were longer than the model reads"};
  if (!job.output.empty()) job.fingerprint = MakeFingerprint(clients[0], arguments);
  return RunLines(job, [&](std::span<const Result<std::string>> lines, LineAnswers& answers) {
    Report(AskAll(clients, arguments, lines), answers);
  });
}

}  // namespace

void AddAsk(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("ask", "Ask a running server instead of a model");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  AddSourceOptions(*command, arguments->source);
  AddOverLengthOption(*command, arguments->over_length);
  AddServiceOptions(*command, arguments->service);
  command
      ->add_option("--model", arguments->model, "The model's name, for a server that has several")
      ->group(kServiceGroup);
  AddRetryOptions(*command, arguments->service);
  AddFormOptions(*command, arguments->form);
  AddLineOption(*command, arguments->lines);
  command
      ->add_option("--concurrency", arguments->concurrency,
                   "Lines that are asked at the same time (default: 4)")
      ->check(CLI::Range(1, 256))
      ->needs(command->get_option("--ndjson"))
      ->group(kServiceGroup);
  AddOutputOptions(*command, arguments->lines);
  AddQuietOption(*command, arguments->form);
  command->callback([arguments, &exit_code] {
    exit_code = arguments->lines.ndjson ? AskLines(*arguments) : AskOne(*arguments);
  });
}

}  // namespace dikast::cli
