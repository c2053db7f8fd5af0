// What every protocol does with a body: counts against the limits, parses, and says where a fault
// lies in the body as it was sent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dikast/decision.h"
#include "server/call.h"

namespace dikast::server {

// 422 when `count` is past the limit; the message names the option that raises it. `limit` is a row
// of LimitTable(), `what` what was counted ("questions").
tl::expected<void, Fault> CheckCount(size_t count, std::string_view what,
                                     uint64_t ServerLimits::*limit, const CallContext& context,
                                     std::string path);

struct SystemOneRequest {
  Request request;
  bool details = false;  // "x_details": true asks for them in the answer
};

// A System One request in `body`, which may stand at `path` of a larger one. Errors: 422 with the
// path, 400 for a model that is not known.
tl::expected<SystemOneRequest, Fault> ReadSystemOne(JsonValue body, const CallContext& context,
                                                    const std::string& path = {});

// "x_details" of a body. Errors: 422 unless it is absent, null or a boolean.
tl::expected<bool, Fault> ReadDetails(const JsonValue& body, const std::string& path);

// The request of a protocol whose questions are an array, from its parts in System One's form. A
// question's id is what its messages and the paths of its faults call it.
tl::expected<Request, Fault> MakeRequest(JsonValue state, JsonObject questions,
                                         const JsonValue* over_length, const CallContext& context);

// The path of a fault of such a request in the body that was sent: "/questions/<id>/criteria"
// becomes "/questions/<index>", "/state" becomes `state`.
std::string ListedPath(std::string_view path, const std::vector<std::string>& ids,
                       std::string_view state);

// The member of an object, moved out of it; null when there is none.
JsonValue Take(JsonValue& object, std::string_view key);

// A member that must be a string. Errors: 422 with the path of the member.
tl::expected<std::string, Fault> ReadString(const JsonValue& object, std::string_view key,
                                            std::string_view path);

// 422 at `path`.
tl::unexpected<Fault> Refuse(std::string type, std::string message, std::string path);

}  // namespace dikast::server
