// The head of a request: what is refused whatever the path, and how its parts are read.
#pragma once

#include <optional>
#include <string>

#include "server/http.h"

namespace dikast::server {

// Why no whole request could be read.
enum class ReadFailure { kTimeout, kBodyTooLarge, kHeaderTooLarge, kPartial, kMalformed };
HttpResponse ReadFault(ReadFailure failure);

// Splits "/v1/models?x=1" into path and query.
void SplitTarget(std::string target, HttpRequest& request);

// Transfer-Encoding, a missing or doubtful length, more than one Host, another form of target, an
// expectation other than 100-continue. RFC 9112; the connection ends after such a refusal.
// `version` is 10 or 11.
std::optional<HttpResponse> CheckHead(const Exchange& exchange, unsigned version);

// What every response tells a browser: no guessing of types, no frames, no storing, no reading by
// other sites.
void Harden(HttpResponse& response);

// 32 random hexadecimal digits.
std::string NewRequestId();
// Whether a client's X-Request-Id may stand in headers and logs: short, letters, digits, "._:-".
bool IsSaneRequestId(std::string_view id);

}  // namespace dikast::server
