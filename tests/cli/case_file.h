// Command line cases as data: the form is in tests/cli/README.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dikast::test {

struct Expectation {
  int line = 0;         // in the file
  std::string subject;  // "stdout", "stderr", "stdout[2]"
  std::string verb;     // "has", "lacks", "is", "json", "empty"
  std::string text;
};

struct Case {
  std::filesystem::path file;
  int line = 0;
  std::string name, script;
  int columns = 0;  // of the terminal; 0 for pipes
  int exit_code = 0;
  std::vector<Expectation> expectations;
};

// Throws std::runtime_error for a file that is not in the form.
std::vector<Case> ReadCases(const std::filesystem::path& file);

}  // namespace dikast::test
