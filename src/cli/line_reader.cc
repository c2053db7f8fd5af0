#include "cli/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/exit.h"

namespace dikast::cli {
namespace {

constexpr size_t kReadBytes = 1 << 16;

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

LineReader::Outcome LineReader::Next(Wait wait, Result<std::string>& line) {
  while (stop_.received() == 0) {
    if (TakeLine(line, ended_)) return Outcome::kLine;
    if (ended_) return Outcome::kEnd;
    switch (Fill(wait)) {
      case Filled::kNothingYet:
        if (wait == Wait::kNo) return Outcome::kLater;
        break;  // a signal woke us
      case Filled::kEnd:
        ended_ = true;
        break;
      case Filled::kBytes:
        break;
    }
  }
  return Outcome::kEnd;
}

// Hands out the next line that is whole, or at the end what is left.
bool LineReader::TakeLine(Result<std::string>& line, bool at_end) {
  while (true) {
    size_t newline = buffer_.find('\n', searched_);
    if (newline == std::string::npos) {
      searched_ = buffer_.size();
      if (!at_end || (begin_ == buffer_.size() && !too_long_)) return false;
      newline = buffer_.size();
    }
    const std::string_view text = std::string_view(buffer_).substr(begin_, newline - begin_);
    const bool blank = !too_long_ && IsBlank(text);
    if (!blank && empty_lines_ > 0) {
      --empty_lines_;
      line = Fail(ErrorCode::kRequest, "the line is empty");
      return true;
    }
    if (blank) ++empty_lines_;
    if (!blank) line = Finish(text);
    begin_ = searched_ = std::min(newline + 1, buffer_.size());
    if (!blank) return true;
  }
}

Result<std::string> LineReader::Finish(std::string_view text) {
  const bool too_long = std::exchange(too_long_, false) || text.size() > kMostLineBytes;
  if (!too_long) return std::string(text);
  return Fail(ErrorCode::kRequest,
              "the line has more than " + std::to_string(kMostLineBytes >> 20) + " MiB");
}

LineReader::Filled LineReader::Fill(Wait wait) {
  buffer_.erase(0, begin_);
  begin_ = 0;
  if (buffer_.size() > kMostLineBytes) {
    buffer_.clear();
    too_long_ = true;
  }
  searched_ = buffer_.size();
  pollfd waiting[] = {{descriptor_, POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
  const int ready = poll(waiting, 2, wait == Wait::kYes ? -1 : 0);
  if (ready <= 0 || waiting[1].revents != 0) return Filled::kNothingYet;
  buffer_.resize(searched_ + kReadBytes);
  const ssize_t count = read(descriptor_, buffer_.data() + searched_, kReadBytes);
  buffer_.resize(searched_ + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0) Quit({ErrorCode::kModel, std::strerror(errno), "input"});
  bytes_read_ += static_cast<uint64_t>(count);
  return count == 0 ? Filled::kEnd : Filled::kBytes;
}

}  // namespace dikast::cli
