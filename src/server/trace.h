// W3C Trace Context, level 1.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dikast::server {

struct TraceContext {
  std::string trace_id, span_id, flags;  // 32, 16 and 2 hexadecimal digits

  std::string ToHeader() const { return "00-" + trace_id + "-" + span_id + "-" + flags; }
};

// This server's span under the caller's; nothing when the header is absent or not well formed.
std::optional<TraceContext> ContinueTrace(std::string_view traceparent);

}  // namespace dikast::server
