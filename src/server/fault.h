// What went wrong with a request, before a protocol gives it a body.
#pragma once

#include <optional>
#include <string>

#include "dikast/status.h"
#include "server/http.h"

namespace dikast::server {

struct Fault {
  unsigned status = 500;
  std::string type = {};                // "max_tokens_exceeded", "api_usage_error", ...
  std::string message;                  // for people; never raw bytes of the request
  std::string path = {};                // JSON Pointer into the body; "" for the whole of it
  std::optional<int> retry_after = {};  // seconds, 1 to 5
  std::string reason = {};  // of a 500, for the log alone; nothing of the request's text
};

// 422 for a bad request, 413 over length, 529 busy, 500 for a fault of the server.
Fault ToFault(const Error& error, int retry_after);

// The body of the System One routes: `detail` as a list for 422, else with error_type and message.
// protocols.md, section 1.5.
HttpResponse SystemOneFault(const Fault& fault);
// {"error": {"message", "type", "param", "code"}}. protocols.md, section 3.
HttpResponse OpenAiFault(const Fault& fault);
// Both bodies in one, where the dialect is not known yet. protocols.md, resolution 9.
HttpResponse EitherFault(const Fault& fault);

}  // namespace dikast::server
