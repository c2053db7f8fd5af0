// Runs a shell script as a user would, with pipes or with a terminal.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace dikast::test {

struct ProcessResult {
  int exit_code = -1;    // 128 + the signal for a script that a signal ended
  std::string out, err;  // with a terminal both end up in `out`
};

struct Script {
  std::string text;
  std::filesystem::path folder;                    // working folder
  std::map<std::string, std::string> environment;  // added to ours
  int columns = 0;                                 // a terminal that wide; 0 for pipes
};

// Kills the script after a minute and a half: nothing here takes a tenth of that.
ProcessResult RunScript(const Script& script);

}  // namespace dikast::test
