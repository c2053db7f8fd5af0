// Lines from a file or pipe, split at "\n" only, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/stop_signal.h"
#include "dikast/status.h"

namespace dikast::cli {

// A line that is longer is refused without being held.
inline constexpr size_t kMostLineBytes = 16u << 20;

class LineReader {
 public:
  // Reads `descriptor`, which it does not own, until its end or until a signal comes.
  LineReader(int descriptor, const StopSignal& stop) : descriptor_(descriptor), stop_(stop) {}

  enum class Wait { kYes, kNo };
  enum class Outcome {
    kLine,   // one line, without its "\n"; the last one may lack it
    kLater,  // with Wait::kNo: no whole line is here yet
    kEnd,
  };
  // On kLine, `line` holds the text, or the error for one that is too long or empty. An empty line
  // is an error only when another line follows.
  Outcome Next(Wait wait, Result<std::string>& line);

  // Of the input, up to the end of the line handed out last.
  uint64_t bytes_taken() const { return bytes_read_ - (buffer_.size() - begin_); }

 private:
  enum class Filled { kBytes, kNothingYet, kEnd };
  Filled Fill(Wait wait);
  bool TakeLine(Result<std::string>& line, bool at_end);
  Result<std::string> Finish(std::string_view text);

  int descriptor_;
  const StopSignal& stop_;
  std::string buffer_;  // bytes read and not yet handed out, from begin_
  size_t begin_ = 0;
  size_t searched_ = 0;    // no "\n" stands in buffer_ before this
  bool too_long_ = false;  // inside a line whose start was thrown away
  bool ended_ = false;
  uint64_t bytes_read_ = 0;
  uint64_t empty_lines_ = 0;  // held back: they may be the last
};

}  // namespace dikast::cli
