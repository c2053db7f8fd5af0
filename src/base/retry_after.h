// How long a server asks its client to wait: Retry-After (RFC 9110, section 10.2.3) and the finer
// retry-after-ms of some services.
#pragma once

#include <chrono>
#include <optional>

#include "base/http_client.h"

namespace dikast {

// retry-after-ms, else Retry-After in seconds or as a date. Nothing when the response says nothing
// that can be read; never negative, at most 1e9.
std::optional<std::chrono::milliseconds> RequestedWait(const HttpResponse& response,
                                                       std::chrono::system_clock::time_point now);

}  // namespace dikast
