// A line of NDJSON as a request.
#pragma once

#include <optional>
#include <string>

#include "dikast/decision.h"
#include "dikast/json.h"

namespace dikast::cli {

struct LineRequest {
  std::optional<JsonValue> id;  // as sent; also when the request is refused, if the line is JSON
  Result<Request> request;
};

LineRequest ParseLine(const Result<std::string>& line, const DecideOptions& options);

}  // namespace dikast::cli
