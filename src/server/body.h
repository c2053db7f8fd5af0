// The body of a POST: decoded, read as JSON, within the limits.
#pragma once

#include <optional>

#include "dikast/json.h"
#include "dikast/server.h"
#include "server/fault.h"
#include "server/http.h"

namespace dikast::server {

// From the head alone: 415 for a Content-Type or Content-Encoding that is not read.
std::optional<Fault> CheckBodyHeaders(const HttpRequest& request);
Fault BodyTooLarge(const ServerLimits& limits);

// Takes the body out of the request, whose headers CheckBodyHeaders has seen. Errors: 413 past the
// decoded size, 422 for what cannot be decoded, is no JSON, or is past the depth, with the path.
tl::expected<JsonValue, Fault> ReadBody(HttpRequest& request, const ServerLimits& limits);

}  // namespace dikast::server
