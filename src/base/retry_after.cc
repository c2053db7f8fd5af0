#include "base/retry_after.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

namespace dikast {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr double kLongestMilliseconds = 1e9;

std::optional<double> ToNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

Milliseconds ToWait(double milliseconds) {
  return Milliseconds(std::llround(std::clamp(milliseconds, 0.0, kLongestMilliseconds)));
}

// The form that servers have to write: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7).
std::optional<std::chrono::system_clock::time_point> ToDate(const std::string& text) {
  std::tm fields{};
  const char* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &fields);
  if (end == nullptr || *end != '\0') return {};
  return std::chrono::system_clock::from_time_t(timegm(&fields));
}

}  // namespace

std::optional<Milliseconds> RequestedWait(const HttpResponse& response,
                                          std::chrono::system_clock::time_point now) {
  if (const std::string* exact = response.Find("retry-after-ms")) {
    if (const std::optional<double> value = ToNumber(*exact)) return ToWait(*value);
  }
  const std::string* after = response.Find("retry-after");
  if (after == nullptr) return {};
  if (const std::optional<double> seconds = ToNumber(*after)) return ToWait(*seconds * 1000);
  if (const auto date = ToDate(*after)) {
    return ToWait(std::chrono::duration<double, std::milli>(*date - now).count());
  }
  return {};
}

}  // namespace dikast
