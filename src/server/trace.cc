#include "server/trace.h"

#include <algorithm>

#include "server/head.h"

namespace dikast::server {
namespace {

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsZero(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '0'; });
}

}  // namespace

// version "-" trace-id "-" parent-id "-" flags; later versions may add fields after the flags.
std::optional<TraceContext> ContinueTrace(std::string_view traceparent) {
  if (traceparent.size() < 55 || traceparent[2] != '-' || traceparent[35] != '-' ||
      traceparent[52] != '-') {
    return std::nullopt;
  }
  const std::string_view version = traceparent.substr(0, 2), trace = traceparent.substr(3, 32),
                         parent = traceparent.substr(36, 16), flags = traceparent.substr(53, 2);
  const bool well_formed = IsHex(version) && version != "ff" && IsHex(trace) && !IsZero(trace) &&
                           IsHex(parent) && !IsZero(parent) && IsHex(flags) &&
                           (version == "00" ? traceparent.size() == 55
                                            : traceparent.size() == 55 || traceparent[55] == '-');
  if (!well_formed) return std::nullopt;
  return TraceContext{std::string(trace), NewRequestId().substr(0, 16), std::string(flags)};
}

}  // namespace dikast::server
