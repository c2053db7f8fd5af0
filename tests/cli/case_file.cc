#include "tests/cli/case_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace dikast::test {
namespace {

bool TakePrefix(std::string& line, const std::string& prefix) {
  if (!line.starts_with(prefix)) return false;
  line.erase(0, prefix.size());
  return true;
}

Expectation ReadExpectation(const std::string& line, int number) {
  std::istringstream words(line);
  Expectation expectation{.line = number, .subject = {}, .verb = {}, .text = {}};
  words >> expectation.subject >> expectation.verb;
  std::getline(words >> std::ws, expectation.text);
  return expectation;
}

bool IsKnown(const Expectation& expectation) {
  const bool subject =
      expectation.subject.starts_with("stdout") || expectation.subject.starts_with("stderr");
  for (const char* verb : {"has", "lacks", "is", "json", "empty"}) {
    if (subject && expectation.verb == verb) return true;
  }
  return false;
}

}  // namespace

std::vector<Case> ReadCases(const std::filesystem::path& file) {
  std::vector<Case> cases;
  std::ifstream in(file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with("#")) continue;
    if (TakePrefix(line, "== ")) {
      cases.push_back({.file = file,
                       .line = number,
                       .name = line,
                       .script = {},
                       .columns = 0,
                       .exit_code = 0,
                       .expectations = {}});
      continue;
    }
    const auto fail = [&](const char* what) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " + what);
    };
    if (cases.empty()) fail("the first case must begin with '== NAME'");
    Case& current = cases.back();
    if (TakePrefix(line, "$ ")) {
      current.script += line + "\n";
    } else if (TakePrefix(line, "terminal ")) {
      current.columns = std::stoi(line);
    } else if (TakePrefix(line, "exit ")) {
      current.exit_code = std::stoi(line);
    } else {
      current.expectations.push_back(ReadExpectation(line, number));
      if (!IsKnown(current.expectations.back())) fail("unknown line");
    }
  }
  return cases;
}

}  // namespace dikast::test
