// dikast calibrate: temperatures for a model, fitted on rows with a known answer.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/json_writer.h"
#include "base/sha256.h"
#include "cli/commands.h"
#include "cli/eval_answers.h"
#include "cli/exit.h"
#include "cli/options.h"
#include "cli/output.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast calibrate --data rows.jsonl
  dikast calibrate --data rows.jsonl --out tickets.json
  dikast decide --calibration tickets.json --preset support --state-file mail.txt

Fits temperatures on one half of the rows and checks them on the other: nothing is written unless
its expected calibration error falls. The file binds them to the model by hash. In the model's
folder, where it goes without --out, every command uses it from then on. Use rows that the model was
not trained on, like those it will meet. Rows: 'dikast eval --help'; more: docs/evaluation.md.
)";

struct Arguments {
  std::string data, out;
  bool quiet = false;
  ReadingOptions reading;
  ModelOptions model;
};

struct Halves {
  std::vector<LogitRow> fit, check;
};

// By the state alone, so that no state stands in both.
bool IsForFit(const Request& request) {
  const std::string state = JsonWriter().Value(request.state).Take();
  const std::string hash = Sha256Hex(std::as_bytes(std::span(state)));
  return std::strtoul(hash.substr(0, 2).c_str(), nullptr, 16) % 2 == 0;
}

Halves Split(const DataSet& data, DataAnswers& answers) {
  Halves halves;
  for (size_t row = 0; row < data.rows.size(); ++row) {
    if (!answers.by_row[row]) continue;
    std::vector<LogitRow>& half = IsForFit(data.requests[row]) ? halves.fit : halves.check;
    half.push_back({data.requests[row].questions[0].type, std::move(answers.by_row[row]->logits),
                    data.rows[row].right});
  }
  return halves;
}

// On the half that the fit did not see.
struct Trial {
  Figures before, after;
};

std::string Describe(const char* name, const Figures& figures) {
  const CalibrationError& error = figures.calibration;
  char text[160];
  std::snprintf(text, sizeof text,
                "%s  ECE %5.2f %%  (noise floor %.2f %%, 95 %% %.2f %%)   NLL %.4f   Brier %.4f\n",
                name, 100 * error.ece, 100 * error.floor, 100 * error.floor_95, figures.nll,
                figures.brier);
  return text;
}

std::string Report(const Halves& halves, const Temperatures& fitted, const Trial& trial) {
  std::string text = "Fitted on " + std::to_string(halves.fit.size()) + " rows, checked on " +
                     std::to_string(halves.check.size()) + " others:\n" +
                     Describe("  before", trial.before) + Describe("  after ", trial.after) +
                     "Temperatures: choice, score, noul";
  char number[64];
  for (const double temperature : fitted.by_type) {
    std::snprintf(number, sizeof number, " %.4f", temperature);
    text += number;
  }
  text += "\n";
  for (const auto& [bucket, temperature] : fitted.by_bucket) {
    std::snprintf(number, sizeof number, "  %-12s %.4f\n", bucket.c_str(), temperature);
    text += number;
  }
  return text;
}

std::string Record(const Arguments& arguments, const DataSet& data, const Halves& halves,
                   const Trial& trial) {
  JsonWriter json;
  json.BeginObject().Key("data").String(data.name).Key("data_sha256").String(data.sha256);
  json.Key("orders").Integer(arguments.reading.orders);
  json.Key("options").String(arguments.reading.options);
  json.Key("rows_fit").Integer(static_cast<int64_t>(halves.fit.size()));
  json.Key("rows_checked").Integer(static_cast<int64_t>(halves.check.size()));
  const auto figures = [&](const char* key, const Figures& measured) {
    json.Key(key).BeginObject().Key("ece").Number(measured.calibration.ece);
    json.Key("ece_floor").Number(measured.calibration.floor);
    json.Key("ece_floor_95").Number(measured.calibration.floor_95);
    json.Key("nll").Number(measured.nll).EndObject();
  };
  figures("before", trial.before);
  figures("after", trial.after);
  return json.EndObject().Take();
}

// Whole or not at all: an engine that starts meanwhile reads the old file or the new one.
void WriteCalibration(const std::filesystem::path& file, const std::string& text) {
  const std::string unfinished = file.string() + ".new";
  WriteFile(unfinished, text);
  std::error_code error;
  std::filesystem::rename(unfinished, file, error);
  if (error) Quit({ErrorCode::kModel, "cannot write: " + error.message(), file.string()});
}

void CheckHalves(const Halves& halves, const DataSet& data) {
  constexpr size_t kLeastRows = 50;
  if (halves.fit.size() >= kLeastRows && halves.check.size() >= kLeastRows) return;
  Quit({ErrorCode::kRequest,
        "its halves have " + std::to_string(halves.fit.size()) + " and " +
            std::to_string(halves.check.size()) + " answered rows, and each needs " +
            std::to_string(kLeastRows) + " (rows on one state are never parted)",
        data.name});
}

int Run(const Arguments& arguments) {
  const DecideOptions options = ToDecideOptions(arguments.reading);
  const DataSet data = ReadDataSet(arguments.data, options);
  EngineOptions engine_options = ToEngineOptions(arguments.model);
  engine_options.calibration = "none";  // an old file may belong to other weights
  Engine engine = OrQuit(Engine::Load(engine_options));
  DataAnswers answers = AnswerRows(engine, data.requests, options, arguments.quiet);
  for (const Refusal& refusal : answers.refused) {
    Complain("line " + std::to_string(data.rows[refusal.row].line) +
             " is left out: " + refusal.error.message);
  }
  const Halves halves = Split(data, answers);
  CheckHalves(halves, data);

  const Temperatures& own = engine.info().temperatures;
  const Temperatures fitted = FitTemperatures(halves.fit, own);
  const Trial trial{Measure(AtTemperatures(halves.check, own)),
                    Measure(AtTemperatures(halves.check, fitted))};
  Print(Report(halves, fitted, trial));
  if (trial.after.calibration.ece >= trial.before.calibration.ece) {
    Quit({ErrorCode::kRequest,
          "nothing was written: the temperatures that were fitted do not lower the calibration "
          "error of the other half, so those of the checkpoint stay",
          data.name});
  }
  const std::filesystem::path file = arguments.out.empty()
                                         ? engine.info().folder / "calibration.json"
                                         : std::filesystem::path(arguments.out);
  WriteCalibration(file, FormatCalibration(fitted, OrQuit(HashModel(engine.info().folder)),
                                           Record(arguments, data, halves, trial)));
  Print("Written to " + file.string() + "\n");
  return kAnswered;
}

}  // namespace

void AddCalibrate(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("calibrate", "Fit a model's temperatures to rows with known answers");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  AddDataOption(*command, arguments->data);
  command
      ->add_option("--out", arguments->out,
                   "The file to write (default: calibration.json in the model's folder)")
      ->group("Output");
  AddReadingOptions(*command, arguments->reading);
  AddReferenceOption(*command, arguments->reading);
  AddModelOptions(*command, arguments->model);
  AddMachineOptions(*command, arguments->model);
  command->remove_option(command->get_option("--calibration"));
  command->add_flag("--quiet", arguments->quiet, "No progress on stderr")->group("Output");
  command->callback([arguments, &exit_code] { exit_code = Run(*arguments); });
}

}  // namespace dikast::cli
