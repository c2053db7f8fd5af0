// The rows of tests/data/errors/*.jsonl. Their form is in the README there.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dikast/json.h"

namespace dikast::test {

// One run of the program.
struct Run {
  std::string base;  // a folder of tests/data/errors/bases
  JsonArray edits;   // of a copy of it
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  JsonValue input;  // for Bytes()
};

// A second run whose answer must be equal to the first one's, or differ from it.
struct Twin {
  Run run;
  std::string at;  // JSON Pointer of what is compared
  bool equal = true;
};

struct Row {
  std::filesystem::path file;
  int line = 0;
  std::string name, cause;
  std::vector<std::string> faults;
  Run run;
  int exit_code = 0;
  std::string message, path;  // of the error
  std::string warning;        // of a run that answers
  std::optional<JsonValue> answer;
  std::optional<Twin> twin;
};

// Throws std::runtime_error for a file that is not in the form.
std::vector<Row> ReadRows(const std::filesystem::path& file);

// The rows that must fail: tests/data/errors/{requests,tokenizers,checkpoints}.jsonl.
std::vector<Row> ErrorRows();
// The rows that must not: tests/data/errors/right/.
std::vector<Row> RightRows();

// A string, or an array of strings, {"hex": "ff fe"} and {"repeat": string, "times": n}.
std::string Bytes(const JsonValue& value);

// Files of one JSON value a line; blank lines are skipped.
std::vector<std::pair<int, JsonValue>> ReadJsonLines(const std::filesystem::path& file);

}  // namespace dikast::test
