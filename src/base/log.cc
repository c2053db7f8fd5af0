#include "base/log.h"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>

namespace dikast {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"debug", "info", "warn", "error", "off"};

// Lines that may wait for a slow sink.
constexpr size_t kQueue = 8192;

// RFC 3339 with milliseconds, UTC.
std::string Now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char date[24], text[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text, sizeof text, "%s.%03dZ", date, static_cast<int>(ms % 1000));
  return text;
}

}  // namespace

struct Log::Impl {
  std::shared_ptr<spdlog::async_logger> logger;
  // Goes first, and its thread with it: then nobody else writes to what the logger closes.
  std::shared_ptr<spdlog::details::thread_pool> pool =
      std::make_shared<spdlog::details::thread_pool>(kQueue, 1);
};

Result<LogLevel> ParseLogLevel(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return Fail(ErrorCode::kUsage, "the log level must be debug, info, warn, error or off, got '" +
                                     std::string(name) + "'");
}

Result<std::unique_ptr<Log>> Log::Open(LogLevel level, const std::filesystem::path& file) {
  auto impl = std::make_unique<Impl>();
  try {
    const spdlog::sink_ptr sink =
        file.empty() ? spdlog::sink_ptr(std::make_shared<spdlog::sinks::stderr_sink_mt>())
                     : std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
    impl->logger = std::make_shared<spdlog::async_logger>(
        "dikast", sink, impl->pool, spdlog::async_overflow_policy::overrun_oldest);
  } catch (const spdlog::spdlog_ex& error) {
    return Fail(ErrorCode::kModel, std::string("cannot write the log: ") + error.what(),
                file.string());
  }
  impl->logger->set_pattern("%v");
  impl->logger->flush_on(spdlog::level::info);
  return std::unique_ptr<Log>(new Log(level, std::move(impl)));
}

Log::Log(LogLevel level, std::unique_ptr<Impl> impl) : level_(level), impl_(std::move(impl)) {}
Log::~Log() = default;

JsonWriter Log::Begin(LogLevel level, std::string_view event) {
  JsonWriter line;
  line.BeginObject().Key("ts").String(Now());
  line.Key("level").String(kNames[static_cast<size_t>(level)]).Key("event").String(event);
  return line;
}

void Log::Write(LogLevel level, JsonWriter line) {
  if (Enabled(level)) impl_->logger->info(line.EndObject().Take());
}

}  // namespace dikast
