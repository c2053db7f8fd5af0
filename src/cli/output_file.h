// The file of --output: answers that survive an interruption, and the record that --resume trusts.
//
// Beside F stands F.resume.json, an object of strings: what made the answers (model and input by
// SHA-256, options, instruction set, version). A resumed run keeps the complete lines of F, drops a
// torn last one, and refuses when anything in the record differs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "dikast/status.h"

namespace dikast::cli {

// Name and value, in the order they are written.
using Fingerprint = std::vector<std::pair<std::string, std::string>>;

struct OutputFile {
  Descriptor descriptor;
  uint64_t kept = 0;    // complete lines already there
  uint64_t failed = 0;  // those among them that are errors
};

// Starts a new file (kUsage when one with content is there), or with `resume` goes on with it. An
// empty fingerprint (input from a pipe) leaves no record. Holds a lock as long as it is open.
Result<OutputFile> OpenOutputFile(const std::string& file, const Fingerprint& fingerprint,
                                  bool resume);

}  // namespace dikast::cli
