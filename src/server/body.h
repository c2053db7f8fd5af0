// The body of a POST: decoded, read as JSON, within the limits.
#pragma once

#include "dikast/json.h"
#include "dikast/server.h"
#include "server/fault.h"
#include "server/http.h"

namespace dikast::server {

// Errors: 415 for an encoding or type that is not read, 413 past the decoded size, 422 for what is
// no JSON or past the depth, with the path.
tl::expected<JsonValue, Fault> ReadBody(const HttpRequest& request, const ServerLimits& limits);

}  // namespace dikast::server
