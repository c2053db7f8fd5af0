// dikast decide: requests in, answers out.
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "base/sha256.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/line_request.h"
#include "cli/lines.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/request_source.h"
#include "cli/table.h"
#include "dikast/format.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast decide --preset support --state "I was charged twice. Please refund me."
  dikast decide --questions questions.json --state-file mail.txt --over-length window
  dikast decide --state '{"cmd": "rm -rf /"}' --state-json \
    --questions '{"safe": {"type": "noul", "instructions": "Is this safe to run?"}}'
  curl -s example.com/ticket | dikast decide --preset support --state-file - --json
  dikast decide --ndjson --request in.ndjson --output out.ndjson --resume

A state is text exactly as typed unless --state-json is given. On a terminal the answer is a table,
elsewhere one JSON object. When there is no answer, standard output stays empty, standard error
says why, and the exit code says whose fault it is. With --ndjson each line gets an answer or
{"error": {"message", "path"}}.
)";

struct Arguments {
  SourceOptions source;
  ReadingOptions reading;
  ModelOptions model;
  FormOptions form;
  LineOptions lines;
  std::string format;
  bool details = false;

  bool laya() const { return format.empty() ? reading.reference : format == "laya"; }
};

std::string Format(const Arguments& arguments, const Request& request, const Response& response) {
  return arguments.laya() ? FormatLaya(request, response, arguments.details)
                          : FormatSystemOne(request, response, arguments.details);
}

std::vector<std::string> ListCuts(const Request& request, const Response& response) {
  std::vector<std::string> cuts;
  for (size_t q = 0; q < request.questions.size(); ++q) {
    for (std::string& cut : DescribeCuts(request.questions[q], response.plans[q])) {
      cuts.push_back(std::move(cut));
    }
  }
  return cuts;
}

int DecideOne(const Arguments& arguments) {
  const DecideOptions options = ToDecideOptions(arguments.reading);
  const Request request = OrQuit(ReadRequest(arguments.source, options));
  Engine engine = OrQuit(Engine::Load(ToEngineOptions(arguments.model)));
  const Response response = OrQuit(engine.Decide(request, options));
  if (!arguments.form.quiet) {
    for (const std::string& cut : ListCuts(request, response)) Complain(cut);
  }
  const bool table = WantsTable(arguments.form) && !arguments.details && arguments.format.empty();
  Print(table ? RenderTable(request, response, DescribeTerminal(STDOUT_FILENO))
              : Format(arguments, request, response) + "\n");
  return kAnswered;
}

std::string HashCalibration(const ModelInfo& model) {
  if (model.calibration.empty()) return "none";
  return Sha256Hex(OrQuit(MappedFile::Open(model.calibration)).bytes());
}

// What must be the same for two runs to write the same answers.
Fingerprint MakeFingerprint(const Arguments& arguments, const ModelInfo& model) {
  const ReadingOptions& reading = arguments.reading;
  return {{"dikast", std::string(Version())},
          {"model", model.name},
          {"model_sha256", OrQuit(HashModel(model.folder))},
          {"format", arguments.laya() ? "laya" : "systemone"},
          {"details", arguments.details ? "yes" : "no"},
          {"over_length", reading.over_length},
          {"options", reading.options},
          {"orders", std::to_string(reading.orders)},
          {"calibration", HashCalibration(model)},
          {"reference", reading.reference ? "yes" : "no"},
          {"max_len", std::to_string(model.max_len)},
          {"head_max_len", std::to_string(model.head_max_len)},
          {"isa", model.isa}};
}

// Answers the requests among the lines in one go, then writes all in order.
void AnswerBatch(Engine& engine, const Arguments& arguments, const DecideOptions& options,
                 std::span<const Result<std::string>> lines, LineAnswers& answers) {
  std::vector<LineRequest> parsed;
  std::vector<Request> requests;
  for (const Result<std::string>& line : lines) {
    parsed.push_back(ParseLine(line, options));
    if (parsed.back().request) requests.push_back(*std::move(parsed.back().request));
  }
  const std::vector<Result<Response>> responses = engine.DecideMany(requests, options);
  size_t next = 0;
  for (const LineRequest& line : parsed) {
    const JsonValue* id = line.id ? &*line.id : nullptr;
    if (!line.request) {
      answers.Fail(id, line.request.error());
      continue;
    }
    const size_t r = next++;
    if (responses[r]) {
      answers.Add(id, Format(arguments, requests[r], *responses[r]));
      if (!arguments.details && !ListCuts(requests[r], *responses[r]).empty()) answers.NoteCut();
    } else {
      answers.Fail(id, responses[r].error());
    }
  }
}

int DecideLines(const Arguments& arguments) {
  const DecideOptions options = ToDecideOptions(arguments.reading);
  Engine engine = OrQuit(Engine::Load(ToEngineOptions(arguments.model)));
  LineJob job{.input = arguments.source.request.value_or("-"),
              .output = arguments.lines.output,
              .resume = arguments.lines.resume,
              .quiet = arguments.form.quiet};
  if (!job.output.empty()) job.fingerprint = MakeFingerprint(arguments, engine.info());
  return RunLines(job, [&](std::span<const Result<std::string>> lines, LineAnswers& answers) {
    AnswerBatch(engine, arguments, options, lines, answers);
  });
}

}  // namespace

void AddDecide(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("decide", "Answer questions about a state");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  AddSourceOptions(*command, arguments->source);
  AddReadingOptions(*command, arguments->reading);
  AddReferenceOption(*command, arguments->reading);
  AddModelOptions(*command, arguments->model);
  AddMachineOptions(*command, arguments->model);
  AddFormOptions(*command, arguments->form);
  command
      ->add_option("--format", arguments->format,
                   "The JSON's form: systemone (default), or laya for that of the laya package")
      ->check(CLI::IsMember({"systemone", "laya"}))
      ->excludes(command->get_option("--table"))
      ->group("Output");
  command
      ->add_flag("--details", arguments->details,
                 "Add unrounded probabilities, logits, token ids, markers and cuts (JSON)")
      ->excludes(command->get_option("--table"))
      ->group("Output");
  AddLineOption(*command, arguments->lines);
  AddOutputOptions(*command, arguments->lines);
  AddQuietOption(*command, arguments->form);
  command->callback([arguments, &exit_code] {
    exit_code = arguments->lines.ndjson ? DecideLines(*arguments) : DecideOne(*arguments);
  });
}

}  // namespace dikast::cli
