#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "cli/output.h"

namespace dikast::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenDraws(100);

template <class... Values>
std::string Text(const char* format, Values... values) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::string Minutes(double seconds) {
  const auto whole = static_cast<unsigned long long>(seconds + 0.5);
  if (whole < 3600) return Text("%llu:%02llu", whole / 60, whole % 60);
  return Text("%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

std::string ProgressText(uint64_t lines, uint64_t failed, uint64_t bytes, uint64_t total_bytes,
                         double seconds) {
  std::string text = std::to_string(lines) + " lines";
  if (seconds > 0) text += Text(", %.1f/s", static_cast<double>(lines) / seconds);
  if (failed > 0) text += ", " + std::to_string(failed) + " failed";
  if (bytes > 0 && total_bytes > bytes) {
    const double left = static_cast<double>(total_bytes - bytes) / static_cast<double>(bytes);
    text += ", " + Minutes(seconds * left) + " left";
  }
  return text;
}

Progress::Progress(bool quiet, uint64_t total_bytes)
    : shown_(!quiet && isatty(STDERR_FILENO) != 0), total_bytes_(total_bytes) {}

Progress::~Progress() {
  if (drawn_) PrintError("\r\x1b[K");
}

void Progress::Update(uint64_t lines, uint64_t failed, uint64_t bytes) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - last_ < kBetweenDraws) return;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  PrintError("\r" + ProgressText(lines, failed, bytes, total_bytes_, seconds) + "\x1b[K");
}

}  // namespace dikast::cli
