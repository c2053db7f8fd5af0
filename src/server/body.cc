#include "server/body.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "server/decode.h"

namespace dikast::server {
namespace {

// Finds the first value that is nested deeper than `most`. `path` is the JSON Pointer of `value`,
// and that of what was found; one string for all, for a copy for each child would cost as much as
// the keys above it, which are the client's to choose.
bool TooDeep(const JsonValue& value, uint64_t most, std::string& path) {
  const JsonArray* array = value.AsArray();
  const JsonObject* object = value.AsObject();
  if (!array && !object) return false;
  if (most == 0) return true;
  const size_t own = path.size();
  const auto look = [&](const JsonValue& child, const auto& token) {
    path += PointerAppend("", token);
    if (TooDeep(child, most - 1, path)) return true;
    path.resize(own);
    return false;
  };
  for (size_t i = 0; array && i < array->size(); ++i) {
    if (look((*array)[i], i)) return true;
  }
  for (size_t i = 0; object && i < object->size(); ++i) {
    if (look((*object)[i].value, (*object)[i].key)) return true;
  }
  return false;
}

// The value of "; charset=..."; "" when there is none.
std::string CharsetOf(const std::string& type) {
  const size_t start = type.find("charset=");
  if (start == std::string::npos) return {};
  std::string charset = type.substr(start + 8, type.find(';', start) - start - 8);
  std::erase_if(charset, [](char c) { return c == '"' || c == ' '; });
  return charset;
}

// What clients send around JSON: the form type is curl's for -d, text/plain that of many scripts.
bool IsReadType(const std::string& type) {
  static constexpr std::string_view kTypes[] = {"",
                                                "application/json",
                                                "text/json",
                                                "text/plain",
                                                "application/x-www-form-urlencoded",
                                                "application/octet-stream"};
  std::string essence = type.substr(0, type.find(';'));
  essence.erase(essence.find_last_not_of(" \t") + 1);
  return std::find(std::begin(kTypes), std::end(kTypes), essence) != std::end(kTypes) ||
         essence.ends_with("+json");
}

Fault Unsupported(const char* message) {
  return {.status = 415, .type = "unsupported_media_type", .message = message};
}

}  // namespace

std::optional<Fault> CheckBodyHeaders(const HttpRequest& request) {
  const std::string type = LowerCase(request.Header("Content-Type"));
  if (type.starts_with("multipart/")) {
    return Unsupported("this server answers about text: it takes no image and no multipart body");
  }
  if (request.Count("Content-Type") > 1 || !IsReadType(type)) {
    return Unsupported("send the body as Content-Type: application/json");
  }
  const std::string charset = CharsetOf(type);
  if (!charset.empty() && charset != "utf-8" && charset != "utf8" && charset != "us-ascii") {
    return Unsupported("send the body in UTF-8, without another charset");
  }
  if (request.Count("Content-Encoding") > 1 || !ParseEncoding(request.Header("Content-Encoding"))) {
    return Unsupported("the Content-Encoding of a body may be zstd, gzip or identity");
  }
  return std::nullopt;
}

Fault BodyTooLarge(const ServerLimits& limits) {
  return {.status = 413,
          .type = "request_too_large",
          .message = "the body is larger than " + std::to_string(limits.body_bytes) +
                     " bytes (--body-bytes)"};
}

tl::expected<JsonValue, Fault> ReadBody(HttpRequest& request, const ServerLimits& limits) {
  const Encoding encoding = *ParseEncoding(request.Header("Content-Encoding"));
  const tl::expected<std::string, Fault> text =
      Decode(encoding, std::move(request.body), limits.decoded_bytes);
  request.body = {};
  if (!text) return tl::unexpected(text.error());
  Result<JsonValue> body = ParseJson(
      *text, JsonDialect::kStrict, {.values = limits.values, .string_bytes = limits.string_bytes});
  if (!body) {
    Fault fault = ToFault(body.error(), 1);
    fault.type = "json_invalid";
    return tl::unexpected(std::move(fault));
  }
  if (std::string path; TooDeep(*body, limits.depth, path)) {
    return tl::unexpected(Fault{.status = 422,
                                .type = "too_deep",
                                .message = "the body is nested deeper than the " +
                                           std::to_string(limits.depth) +
                                           " levels that this server reads (--max-depth)",
                                .path = std::move(path)});
  }
  return *std::move(body);
}

}  // namespace dikast::server
