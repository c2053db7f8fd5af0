// The subcommands, one file each. Every Add registers its options and examples with the program and
// sets `exit_code` when it has run.
#pragma once

// All of CLI11: UBSan's checks of types need the vtables that its parts alone leave out.
#include <CLI/CLI.hpp>

namespace dikast::cli {

void AddAsk(CLI::App& program, int& exit_code);
void AddBench(CLI::App& program, int& exit_code);
void AddDecide(CLI::App& program, int& exit_code);
void AddServe(CLI::App& program, int& exit_code);
void AddEval(CLI::App& program, int& exit_code);
void AddCalibrate(CLI::App& program, int& exit_code);
void AddTokens(CLI::App& program, int& exit_code);
void AddTokenize(CLI::App& program, int& exit_code);
void AddInfo(CLI::App& program, int& exit_code);
void AddMcp(CLI::App& program, int& exit_code);
void AddPresets(CLI::App& program, int& exit_code);

}  // namespace dikast::cli
