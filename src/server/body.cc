#include "server/body.h"

#include <algorithm>
#include <string>

namespace dikast::server {
namespace {

size_t Depth(const JsonValue& value) {
  size_t deepest = 0;
  if (const JsonArray* array = value.AsArray()) {
    for (const JsonValue& element : *array) deepest = std::max(deepest, Depth(element));
    return deepest + 1;
  }
  if (const JsonObject* object = value.AsObject()) {
    for (const JsonMember& member : *object) deepest = std::max(deepest, Depth(member.value));
    return deepest + 1;
  }
  return 0;
}

}  // namespace

tl::expected<JsonValue, Fault> ReadBody(const HttpRequest& request, const ServerLimits& limits) {
  Result<JsonValue> body = ParseJson(request.body);
  if (!body) {
    Fault fault = ToFault(body.error(), 1);
    fault.type = "json_invalid";
    return tl::unexpected(std::move(fault));
  }
  if (const size_t depth = Depth(*body); depth > limits.depth) {
    return tl::unexpected(Fault{.status = 422,
                                .type = "too_deep",
                                .message = "the body is nested " + std::to_string(depth) +
                                           " deep; this server reads " +
                                           std::to_string(limits.depth) + " (--max-depth)"});
  }
  return *std::move(body);
}

}  // namespace dikast::server
