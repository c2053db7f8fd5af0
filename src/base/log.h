// Structured log: one JSON object a line. Never blocks its caller: when the sink is slow, the
// oldest lines that wait are lost.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/json_writer.h"
#include "dikast/status.h"

namespace dikast {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

// "debug", "info", "warn", "error", "off". Errors: kUsage.
Result<LogLevel> ParseLogLevel(std::string_view name);

// Thread-safe.
class Log {
 public:
  // Appends to `file`, or writes to standard error when it is empty. Errors: kModel.
  static Result<std::unique_ptr<Log>> Open(LogLevel level, const std::filesystem::path& file);
  ~Log();  // writes what waits

  bool Enabled(LogLevel level) const { return level >= level_ && level != LogLevel::kOff; }
  // The start of a line: {"ts", "level", "event". Add members, then hand it to Write.
  static JsonWriter Begin(LogLevel level, std::string_view event);
  void Write(LogLevel level, JsonWriter line);

 private:
  struct Impl;
  Log(LogLevel level, std::unique_ptr<Impl> impl);
  LogLevel level_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dikast
