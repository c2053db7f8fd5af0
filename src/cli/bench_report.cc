#include "cli/bench_report.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/descriptor.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace dikast::cli {
namespace {

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return Printable(line.substr(line.find(':') + 2));
  }
  return "unknown";
}

}  // namespace

JsonWriter& Rounded(JsonWriter& writer, double value) {
  return writer.Number(std::round(value * 1000) / 1000);
}

double Percentile(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

JsonWriter& WriteDistribution(std::vector<double> values, JsonWriter& writer) {
  std::sort(values.begin(), values.end());
  writer.BeginObject().Key("count").Integer(static_cast<int64_t>(values.size()));
  if (!values.empty()) {
    double sum = 0;
    for (const double value : values) sum += value;
    Rounded(writer.Key("p50"), Percentile(values, 0.50));
    Rounded(writer.Key("p95"), Percentile(values, 0.95));
    Rounded(writer.Key("p99"), Percentile(values, 0.99));
    Rounded(writer.Key("max"), values.back());
    Rounded(writer.Key("mean"), sum / static_cast<double>(values.size()));
  }
  return writer.EndObject();
}

std::map<std::string, double> ParseServerTiming(std::string_view header) {
  std::map<std::string, double> stages;
  while (!header.empty()) {
    const size_t comma = std::min(header.find(','), header.size());
    std::string_view entry = header.substr(0, comma);
    header.remove_prefix(std::min(comma + 1, header.size()));
    entry.remove_prefix(std::min(entry.find_first_not_of(' '), entry.size()));
    const size_t duration = entry.find(";dur=");
    if (duration == std::string_view::npos) continue;
    const std::string number(entry.substr(duration + 5));
    stages[std::string(entry.substr(0, entry.find(';')))] = std::strtod(number.c_str(), nullptr);
  }
  return stages;
}

void WriteMachine(JsonWriter& writer) {
  utsname system{};
  uname(&system);
  writer.BeginObject().Key("cpu").String(CpuName());
  writer.Key("cores").Integer(std::thread::hardware_concurrency());
  writer.Key("system").String(std::string(system.sysname) + " " + system.release).EndObject();
}

std::string CommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  while (text.ends_with('\0')) text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return Printable(text);
}

std::string Timestamp(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm fields{};
  gmtime_r(&whole, &fields);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

double Now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

Result<void> RefuseExisting(const std::string& file) {
  if (access(file.c_str(), F_OK) != 0) return {};
  return Fail(ErrorCode::kUsage, "the file exists: a report is never overwritten", file);
}

Result<void> WriteNew(const std::string& file, std::string_view text) {
  const Descriptor out(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (out.get() < 0) return Fail(ErrorCode::kModel, std::strerror(errno), file);
  WriteAll(out.get(), text, file);
  return {};
}

}  // namespace dikast::cli
