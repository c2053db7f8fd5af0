#include "cli/service_log.h"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "dikast/json.h"

namespace dikast::cli {
namespace {

std::optional<double> ReadTime(const JsonValue* value) {
  if (value == nullptr) return {};
  if (value->AsNumber() != nullptr) return value->AsNumber()->ToDouble();
  return value->AsString() == nullptr ? std::nullopt : ParseTimestamp(*value->AsString());
}

// "Z", "+01:00", "-0530" in seconds.
std::optional<int> ParseOffset(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  std::string digits;
  for (const char c : text.substr(1)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  if ((text[0] != '+' && text[0] != '-') || digits.size() != 4) return {};
  const int number = std::atoi(digits.c_str());
  const int seconds = number / 100 * 3600 + number % 100 * 60;
  return text[0] == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<double> ParseTimestamp(const std::string& text) {
  std::tm fields{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &fields);
  if (rest == nullptr) return {};
  double fraction = 0;
  if (*rest == '.') {
    char* end = nullptr;
    fraction = std::strtod(rest, &end);
    rest = end;
  }
  const std::optional<int> offset = ParseOffset(rest);
  if (!offset) return {};
  return static_cast<double>(timegm(&fields)) + fraction - *offset;
}

Result<std::vector<LoggedRequest>> ReadServiceLog(const std::string& file) {
  std::ifstream in(file);
  if (!in) return Fail(ErrorCode::kModel, "cannot read this log of the server", file);
  std::vector<LoggedRequest> log;
  for (std::string line; std::getline(in, line);) {
    const Result<JsonValue> value = ParseJson(line, JsonDialect::kReference);
    if (!value) continue;  // what is no JSON is no access line
    const JsonValue* id = value->Find("request_id");
    const std::optional<double> end = ReadTime(value->Find("ts"));
    if (id == nullptr || id->AsString() == nullptr || !end) continue;
    const JsonValue* took = value->Find("ms");
    const bool timed = took != nullptr && took->AsNumber() != nullptr;
    const double seconds = timed ? took->AsNumber()->ToDouble() / 1000 : 0;
    const JsonValue* bytes = value->Find("bytes_in");
    const bool empty = bytes != nullptr && bytes->AsNumber() && bytes->AsNumber()->ToDouble() == 0;
    log.push_back({*end - seconds, *end, *id->AsString(), !empty});
  }
  return log;
}

size_t CountOthers(const std::vector<LoggedRequest>& log, const std::set<std::string>& own,
                   double begin, double end) {
  size_t count = 0;
  for (const LoggedRequest& request : log) {
    if (request.end >= begin && request.begin <= end && !own.contains(request.id)) ++count;
  }
  return count;
}

}  // namespace dikast::cli
