// dikast eval: how good a model's answers are on rows with a known answer.
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/eval_chart.h"
#include "cli/eval_report.h"
#include "cli/exit.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast eval --data rows.jsonl
  xzcat training/data/dev-1.jsonl.xz | dikast eval --data - --svg figures
  dikast eval --data rows.jsonl --orders 4 --calibration none --json

A row is {"state": ..., "question": {"type", "instructions", "criteria"}, "answer": ...}, and may have
"id" and "source". The answer is the option of a choice, true or false for a noul, the index of the
level of a score. What each figure means: docs/evaluation.md.
)";

struct Arguments {
  std::string data, svg;
  bool json = false, quiet = false, one_order = false;
  ReadingOptions reading;
  ModelOptions model;
};

struct Outcomes {
  std::vector<Outcome> all;
  std::map<std::string, std::vector<Outcome>> types, sources;
};

Outcomes Collect(const DataSet& data, const DataAnswers& answers) {
  Outcomes outcomes;
  for (size_t row = 0; row < data.rows.size(); ++row) {
    if (!answers.by_row[row]) continue;
    const QuestionType type = data.requests[row].questions[0].type;
    const Outcome outcome{type, answers.by_row[row]->probabilities, data.rows[row].right};
    outcomes.all.push_back(outcome);
    outcomes.types[std::string(QuestionTypeName(type))].push_back(outcome);
    const std::string& source = data.rows[row].source;
    if (!source.empty()) outcomes.sources[source].push_back(outcome);
  }
  return outcomes;
}

Evaluation Evaluate(const Arguments& arguments, const DataSet& data, const DataAnswers& answers,
                    const Outcomes& outcomes, const ModelInfo& model) {
  Evaluation evaluation{.model = model.name,
                        .model_sha256 = OrQuit(HashModel(model.folder)),
                        .calibration = model.calibration.string(),
                        .data = data.name,
                        .data_sha256 = data.sha256,
                        .over_length = OverLengthName(arguments.reading),
                        .options = arguments.reading.options,
                        .orders = arguments.reading.orders,
                        .rows = data.rows.size(),
                        .all = Measure(outcomes.all)};
  for (const auto& [name, part] : outcomes.types) evaluation.types[name] = Measure(part);
  for (const auto& [name, part] : outcomes.sources) evaluation.sources[name] = Measure(part);
  for (const Refusal& refusal : answers.refused) {
    const DataRow& row = data.rows[refusal.row];
    evaluation.refused.push_back({row.line, row.id, refusal.error.message});
  }
  return evaluation;
}

void WritePictures(const std::filesystem::path& folder, const Evaluation& evaluation,
                   const Outcomes& outcomes) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) Quit({ErrorCode::kModel, error.message(), folder.string()});
  const std::string title =
      evaluation.model + " on " + std::filesystem::path(evaluation.data).filename().string();
  std::vector<CoverageLine> lines = {{"all", RiskByCoverage(outcomes.all)}};
  for (const auto& [name, part] : outcomes.types) lines.push_back({name, RiskByCoverage(part)});
  if (lines.size() == 2) lines.pop_back();  // one type is all
  WriteFile(folder / "reliability.svg", ReliabilityDiagram(evaluation.all, title));
  WriteFile(folder / "coverage.svg", CoverageCurve(lines, title));
}

int Run(const Arguments& arguments) {
  const DecideOptions options = ToDecideOptions(arguments.reading);
  const DataSet data = ReadDataSet(arguments.data, options);
  Engine engine = OrQuit(Engine::Load(ToEngineOptions(arguments.model)));
  const DataAnswers answers = AnswerRows(engine, data.requests, options, arguments.quiet);
  const Outcomes outcomes = Collect(data, answers);
  Evaluation evaluation = Evaluate(arguments, data, answers, outcomes, engine.info());
  if (!arguments.one_order && outcomes.types.contains("choice")) {
    evaluation.reversed = ReverseOptions(engine, data, answers, options, arguments.quiet);
  }
  if (!arguments.svg.empty() && !outcomes.all.empty()) {
    WritePictures(arguments.svg, evaluation, outcomes);
  }
  Print(arguments.json ? ReportJson(evaluation) + "\n"
                       : ReportText(evaluation, DescribeTerminal(STDOUT_FILENO).utf8));
  if (!arguments.quiet && !evaluation.refused.empty()) {
    Complain(std::to_string(evaluation.refused.size()) + " of " + std::to_string(evaluation.rows) +
             " rows were refused");
  }
  return evaluation.refused.empty() ? kAnswered : kSomeLinesFailed;
}

}  // namespace

void AddEval(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("eval", "Measure a model on rows with known answers");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  AddDataOption(*command, arguments->data);
  AddReadingOptions(*command, arguments->reading);
  AddReferenceOption(*command, arguments->reading);
  AddModelOptions(*command, arguments->model);
  AddMachineOptions(*command, arguments->model);
  command->add_flag("--json", arguments->json, "One JSON object instead of tables")
      ->group("Output");
  command
      ->add_option("--svg", arguments->svg, "Write reliability.svg and coverage.svg to this folder")
      ->group("Output");
  command
      ->add_flag("--no-reverse", arguments->one_order,
                 "Do not ask each choice again with its options in reverse")
      ->group("Output");
  command->add_flag("--quiet", arguments->quiet, "No warnings and no progress on stderr")
      ->group("Output");
  command->callback([arguments, &exit_code] { exit_code = Run(*arguments); });
}

}  // namespace dikast::cli
