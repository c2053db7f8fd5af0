// Options that several subcommands share: declared once, read into the library's structures.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "dikast/decision.h"
#include "dikast/engine.h"

namespace dikast::cli {

// Where the request comes from.
struct SourceOptions {
  std::optional<std::string> state, state_file, questions, preset, request;
  bool state_json = false, example = false;
};
void AddSourceOptions(CLI::App& command, SourceOptions& source);

// Which model, and how large its inputs may be.
struct ModelOptions {
  std::string model, calibration, isa;
  int threads = 0;
  uint32_t max_len = 0, head_max_len = 0;
};
void AddModelOptions(CLI::App& command, ModelOptions& model);  // --model and the lengths
// What answers need beside the model: --calibration, --threads and --isa.
void AddMachineOptions(CLI::App& command, ModelOptions& model);
// Looks the model up.
EngineOptions ToEngineOptions(const ModelOptions& model);

// How a request is read.
struct ReadingOptions {
  std::string over_length, options = "fit";
  uint32_t orders = 1;
  bool reference = false;
};
void AddOverLengthOption(CLI::App& command, std::string& over_length);
void AddReadingOptions(CLI::App& command, ReadingOptions& reading);
void AddReferenceOption(CLI::App& command, ReadingOptions& reading);  // not for what HTTP brings
DecideOptions ToDecideOptions(const ReadingOptions& reading);
std::string OverLengthName(const ReadingOptions& reading);  // of the rule in force

// Rows with known answers.
void AddDataOption(CLI::App& command, std::string& data);

// What comes out.
struct FormOptions {
  bool json = false, table = false, quiet = false;
};
void AddFormOptions(CLI::App& command, FormOptions& form);
void AddQuietOption(CLI::App& command, FormOptions& form);
// A table for people on a terminal, JSON for programs elsewhere, unless an option says.
bool WantsTable(const FormOptions& form);

// One request a line. Added after the options of the source and the form, which it excludes.
struct LineOptions {
  bool ndjson = false, resume = false;
  std::string output;
};
void AddLineOption(CLI::App& command, LineOptions& lines);     // --ndjson
void AddOutputOptions(CLI::App& command, LineOptions& lines);  // --output and --resume

}  // namespace dikast::cli
