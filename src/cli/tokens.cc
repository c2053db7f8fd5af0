// dikast tokens: what the model would read, without loading its weights.
#include <memory>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/line_request.h"
#include "cli/lines.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/request_source.h"
#include "cli/terminal.h"
#include "dikast/format.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast tokens --preset support --state "I was charged twice. Please refund me."
  dikast tokens --ndjson < requests.ndjson

The weights are not read. Per question: input_ids, markers (the place of each option's marker),
tokens, and what was cut.
)";

struct Arguments {
  SourceOptions source;
  ReadingOptions reading;
  ModelOptions model;
  FormOptions form;
  LineOptions lines;
};

using Plans = std::vector<QuestionPlan>;

std::string FormatPlans(const Request& request, const Plans& plans) {
  JsonWriter writer;
  writer.BeginObject().Key("questions").BeginObject();
  for (size_t q = 0; q < plans.size(); ++q) {
    writer.Key(request.questions[q].id).Raw(FormatPlan(request.questions[q], plans[q]));
  }
  return writer.EndObject().EndObject().Take();
}

std::string DescribePlans(const Request& request, const Plans& plans) {
  std::string text;
  for (size_t q = 0; q < plans.size(); ++q) {
    const size_t sequences = plans[q].sequences.size();
    text += Printable(request.questions[q].id) + ": " + std::to_string(CountTokens(plans[q])) +
            " tokens" + (sequences == 1 ? "" : " in " + std::to_string(sequences) + " sequences") +
            ", state " + std::to_string(plans[q].cuts.state_tokens_kept) + " of " +
            std::to_string(plans[q].cuts.state_tokens) + "\n";
    for (const std::string& cut : DescribeCuts(request.questions[q], plans[q])) {
      text += "  " + Printable(cut) + "\n";
    }
  }
  return text;
}

int PlanOne(const Arguments& arguments, const Planner& planner, const DecideOptions& options) {
  const Request request = OrQuit(ReadRequest(arguments.source, options));
  const Plans plans = OrQuit(planner.Plan(request, options));
  Print(WantsTable(arguments.form) ? DescribePlans(request, plans)
                                   : FormatPlans(request, plans) + "\n");
  return kAnswered;
}

void PlanLine(const Planner& planner, const DecideOptions& options, const Result<std::string>& line,
              LineAnswers& answers) {
  const LineRequest parsed = ParseLine(line, options);
  const JsonValue* id = parsed.id ? &*parsed.id : nullptr;
  if (!parsed.request) return answers.Fail(id, parsed.request.error());
  const Result<Plans> plans = planner.Plan(*parsed.request, options);
  if (!plans) return answers.Fail(id, plans.error());
  answers.Add(id, FormatPlans(*parsed.request, *plans));
}

int Run(const Arguments& arguments) {
  const DecideOptions options = ToDecideOptions(arguments.reading);
  const Planner planner = OrQuit(Planner::Load(ToEngineOptions(arguments.model)));
  if (!arguments.lines.ndjson) return PlanOne(arguments, planner, options);
  const LineJob job{.input = arguments.source.request.value_or("-"), .quiet = arguments.form.quiet};
  return RunLines(job, [&](std::span<const Result<std::string>> lines, LineAnswers& answers) {
    for (const Result<std::string>& line : lines) PlanLine(planner, options, line, answers);
  });
}

}  // namespace

void AddTokens(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("tokens", "Show the token ids a request becomes");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  AddSourceOptions(*command, arguments->source);
  AddReadingOptions(*command, arguments->reading);
  AddReferenceOption(*command, arguments->reading);
  AddModelOptions(*command, arguments->model);
  AddFormOptions(*command, arguments->form);
  AddLineOption(*command, arguments->lines);
  AddQuietOption(*command, arguments->form);
  command->callback([arguments, &exit_code] { exit_code = Run(*arguments); });
}

}  // namespace dikast::cli
