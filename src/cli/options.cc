#include "cli/options.h"

#include <unistd.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/exit.h"

namespace dikast::cli {
namespace {

constexpr int kMostThreads = 1024;

constexpr char kSourceGroup[] = "Request";
constexpr char kReadingGroup[] = "Reading";
constexpr char kModelGroup[] = "Model and machine";
constexpr char kOutputGroup[] = "Output";

OverLength ToOverLength(const std::string& name) {
  if (name == "window") return OverLength::kWindow;
  return name == "truncate" ? OverLength::kTruncate : OverLength::kReject;
}

OptionsMode ToOptionsMode(const std::string& name) {
  if (name == "group") return OptionsMode::kGroup;
  return name == "refuse" ? OptionsMode::kRefuse : OptionsMode::kFit;
}

}  // namespace

void AddSourceOptions(CLI::App& command, SourceOptions& source) {
  const auto add = [&](const char* name, std::optional<std::string>& value, const char* help) {
    return command.add_option(name, value, help)->group(kSourceGroup);
  };
  CLI::Option* state = add("--state", source.state, "The state: text, taken exactly as typed");
  CLI::Option* state_file =
      add("--state-file", source.state_file, "The state: all the bytes of a file (- is stdin)");
  CLI::Option* state_json = command
                                .add_flag("--state-json", source.state_json,
                                          "The state is JSON (an object, an array, ...), not text")
                                ->group(kSourceGroup);
  CLI::Option* questions = add("--questions", source.questions,
                               "The questions: a JSON object {id: question}, or a file of one");
  CLI::Option* preset = add("--preset", source.preset, "Questions by name; see 'dikast presets'");
  CLI::Option* example =
      command
          .add_flag("--example", source.example, "Without a state: answer the preset's own example")
          ->group(kSourceGroup);
  CLI::Option* request =
      add("--request", source.request,
          "A file with all of it: {\"state\": ..., \"questions\": {...}} (- is stdin)");
  state->excludes(state_file);
  questions->excludes(preset);
  example->needs(preset);
  for (CLI::Option* part : {state, state_file, state_json, questions, preset}) {
    request->excludes(part);
  }
}

void AddModelOptions(CLI::App& command, ModelOptions& model) {
  command
      .add_option("--model", model.model,
                  "Checkpoint folder (default: $DIKAST_MODEL, else the bundled model)")
      ->group(kModelGroup);
  command.add_option("--max-len", model.max_len, "Most tokens of a sequence")
      ->check(CLI::Range(1u, UINT32_MAX))
      ->group(kModelGroup);
  command
      .add_option("--head-max-len", model.head_max_len,
                  "Most tokens of a question with its options")
      ->check(CLI::Range(1u, UINT32_MAX))
      ->group(kModelGroup);
}

void AddMachineOptions(CLI::App& command, ModelOptions& model) {
  command
      .add_option("--calibration", model.calibration,
                  "Temperatures: a file of 'dikast calibrate', or none for the checkpoint's own "
                  "(default: calibration.json in the model's folder, if there is one)")
      ->group(kModelGroup);
  command.add_option("--threads", model.threads, "Threads (default: one a usable core)")
      ->check(CLI::Range(1, kMostThreads))
      ->group(kModelGroup);
  command
      .add_option("--isa", model.isa,
                  "Force an instruction set: avx512, avx2 or scalar (default: $DIKAST_ISA, else "
                  "the best)")
      ->group(kModelGroup);
}

EngineOptions ToEngineOptions(const ModelOptions& model) {
  return {.model = OrQuit(FindModel(model.model)),
          .threads = model.threads,
          .isa = model.isa,
          .max_len = model.max_len,
          .head_max_len = model.head_max_len,
          .calibration = model.calibration};
}

void AddOverLengthOption(CLI::App& command, std::string& over_length) {
  command
      .add_option("--over-length", over_length,
                  "A state that does not fit: reject it (default), truncate it, or read it in "
                  "overlapping windows")
      ->check(CLI::IsMember({"reject", "truncate", "window"}))
      ->group(kReadingGroup);
}

void AddReadingOptions(CLI::App& command, ReadingOptions& reading) {
  AddOverLengthOption(command, reading.over_length);
  command
      .add_option("--options", reading.options,
                  "Options that do not fit: fit (default; cut, or grouped where a cut would spoil "
                  "the choice), group, refuse")
      ->check(CLI::IsMember({"fit", "group", "refuse"}))
      ->group(kReadingGroup);
  command
      .add_option(
          "--orders", reading.orders,
          "Ask each choice in up to N cyclic orders of its options and take the mean of the "
          "logits (1 to 4; default: 1)")
      ->check(CLI::Range(1u, kMostOrders))
      ->group(kReadingGroup);
}

void AddReferenceOption(CLI::App& command, ReadingOptions& reading) {
  command
      .add_flag("--reference", reading.reference,
                "Do all that the reference implementation does: loose JSON, control tokens in "
                "text, its cuts; implies --format laya and --over-length truncate")
      ->group(kReadingGroup);
}

std::string OverLengthName(const ReadingOptions& reading) {
  if (!reading.over_length.empty()) return reading.over_length;
  return reading.reference ? "truncate" : "reject";
}

void AddDataOption(CLI::App& command, std::string& data) {
  command
      .add_option("--data", data, "Rows with known answers, one JSON object a line (- is stdin)")
      ->required()
      ->group(kSourceGroup);
}

DecideOptions ToDecideOptions(const ReadingOptions& reading) {
  return {.over_length = ToOverLength(OverLengthName(reading)),
          .options = ToOptionsMode(reading.options),
          .orders = reading.orders,
          .reference = reading.reference};
}

void AddFormOptions(CLI::App& command, FormOptions& form) {
  CLI::Option* json = command.add_flag("--json", form.json, "JSON, also on a terminal");
  CLI::Option* table = command.add_flag("--table", form.table, "A table, also in a pipe or file");
  json->group(kOutputGroup)->excludes(table);
  table->group(kOutputGroup);
}

void AddQuietOption(CLI::App& command, FormOptions& form) {
  command.add_flag("--quiet", form.quiet, "No warnings and no progress on stderr")
      ->group(kOutputGroup);
}

bool WantsTable(const FormOptions& form) {
  return form.table || (!form.json && isatty(STDOUT_FILENO) != 0);
}

void AddLineOption(CLI::App& command, LineOptions& lines) {
  CLI::Option* ndjson = command
                            .add_flag("--ndjson", lines.ndjson,
                                      "One request a line, from --request or stdin; one answer a "
                                      "line, in order")
                            ->group(kOutputGroup);
  for (const char* other : {"--state", "--state-file", "--state-json", "--questions", "--preset",
                            "--example", "--table"}) {
    ndjson->excludes(command.get_option(other));
  }
}

void AddOutputOptions(CLI::App& command, LineOptions& lines) {
  CLI::Option* output = command.add_option("--output", lines.output, "Write the lines to a file")
                            ->needs(command.get_option("--ndjson"))
                            ->group(kOutputGroup);
  command
      .add_flag("--resume", lines.resume, "Go on where an interrupted run left the --output file")
      ->needs(output)
      ->group(kOutputGroup);
}

}  // namespace dikast::cli
