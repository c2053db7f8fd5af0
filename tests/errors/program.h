#pragma once

#include <filesystem>
#include <string>

#include "tests/errors/rows.h"

namespace dikast::test {

struct Outcome {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;      // SIGKILL also when it ran past the limit of 30 s
  std::string out, err;
};

// Runs the program without a shell. "{folder}" in an argument or a variable stands for `folder`.
Outcome RunProgram(const Run& run, const std::filesystem::path& folder);

// `text` with "{folder}" filled in.
std::string FillIn(std::string text, const std::filesystem::path& folder);

}  // namespace dikast::test
