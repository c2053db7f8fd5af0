// The access log of a server: JSON lines with "ts" and "request_id", others are passed over.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dikast/status.h"

namespace dikast::cli {

struct LoggedRequest {
  double begin = 0, end = 0;  // seconds since 1970; equal when the log has no duration
  std::string id;
  bool has_body = true;  // false when the log says "bytes_in": 0: a page, a probe
};

// Seconds since 1970 of "2026-11-30T20:15:00.123Z"; also with an offset as +01:00.
std::optional<double> ParseTimestamp(const std::string& text);

// In the order of the file. A "ts" is a number of seconds or a timestamp, taken at the end of the
// request; "ms", if there, says when it began. Errors: kModel for the file.
Result<std::vector<LoggedRequest>> ReadServiceLog(const std::string& file);

// How many requests of others touch [begin, end].
size_t CountOthers(const std::vector<LoggedRequest>& log, const std::set<std::string>& own,
                   double begin, double end);

}  // namespace dikast::cli
