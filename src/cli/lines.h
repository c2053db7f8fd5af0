// One answer a line, in order, for any command that reads lines.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "cli/output_file.h"
#include "dikast/json.h"
#include "dikast/status.h"

namespace dikast::cli {

// The answers to a batch of lines, as text to write.
class LineAnswers {
 public:
  // `body` is a JSON object or array. The request's `id`, if any, becomes the object's first
  // member.
  void Add(const JsonValue* id, std::string_view body);
  void Fail(const JsonValue* id, const Error& error);
  // The line added last was cut, and its answer does not say so.
  void NoteCut() { ++cut_; }

  std::string& text() { return text_; }
  uint64_t count() const { return count_; }
  uint64_t failed() const { return failed_; }
  uint64_t cut() const { return cut_; }

 private:
  std::string text_;
  uint64_t count_ = 0, failed_ = 0, cut_ = 0;
};

// Answers a few lines, each exactly once and in order. A line that could not be read is an error.
using AnswerLines =
    std::function<void(std::span<const Result<std::string>> lines, LineAnswers& answers)>;

struct LineJob {
  std::string input = "-";  // a file, or "-" for standard input
  std::string output = {};  // a file; empty for standard output
  bool resume = false;
  bool quiet = false;
  size_t batch_bytes = 1 << 14;  // lines are gathered up to this much text
  // "3 lines were" this.
  std::string about_cuts = " cut, or answered in groups or windows; --details says how";
  Fingerprint fingerprint = {};  // what shaped the answers, for `output`; the input is added
};

// Runs the job to the end of its input or to a signal. Answers are written as soon as the input has
// nothing more ready, so a program may send a line and wait for its answer.
// Returns the exit code; quits on errors of the files.
int RunLines(const LineJob& job, const AnswerLines& answer);

}  // namespace dikast::cli
