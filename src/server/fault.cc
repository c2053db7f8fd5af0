#include "server/fault.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"

namespace dikast::server {
namespace {

// A refusal must not be as long as what it refuses: keys and names are the client's to choose.
constexpr size_t kMostToken = 256, kMostMessage = 2048;

// At most `most` bytes of UTF-8 text, whole characters; an ellipsis stands for the rest.
std::string Shortened(std::string text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (text[most] & 0xC0) == 0x80) --most;
  text.resize(most);
  return text + "…";
}

// The tokens of a JSON Pointer, RFC 6901.
std::vector<std::string> Tokens(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size() && !tokens.empty()) {
      tokens.back() += pointer[++i] == '1' ? '/' : '~';
    } else if (!tokens.empty()) {
      tokens.back() += pointer[i];
    }
  }
  for (std::string& token : tokens) token = Shortened(std::move(token), kMostToken);
  return tokens;
}

// Where FastAPI's validation errors point: ["body", "questions", "a"].
void WriteLocation(const std::string& pointer, JsonWriter& writer) {
  writer.BeginArray().String("body");
  for (const std::string& token : Tokens(pointer)) writer.String(token);
  writer.EndArray();
}

void WriteDetail(const Fault& fault, JsonWriter& writer) {
  if (fault.status == 422) {
    writer.BeginArray().BeginObject();
    writer.Key("loc");
    WriteLocation(fault.path, writer);
    writer.Key("msg").String(Shortened(fault.message, kMostMessage)).Key("type").String(fault.type);
    writer.EndObject().EndArray();
  } else {
    writer.BeginObject().Key("error_type").String(fault.type);
    writer.Key("message").String(Shortened(fault.message, kMostMessage)).EndObject();
  }
}

// "questions[0].choices": in this dialect only an array has numbers for names.
std::string ParameterName(const std::string& pointer) {
  std::string name;
  for (const std::string& token : Tokens(pointer)) {
    const bool index = !token.empty() && token.find_first_not_of("0123456789") == token.npos;
    name += index ? "[" + token + "]" : (name.empty() ? "" : ".") + token;
  }
  return name;
}

void WriteError(const Fault& fault, JsonWriter& writer) {
  writer.BeginObject().Key("message").String(Shortened(fault.message, kMostMessage));
  writer.Key("type").String(fault.status == 401   ? "authentication_error"
                            : fault.status >= 500 ? "server_error"
                                                  : "invalid_request_error");
  writer.Key("param");
  fault.path.empty() ? writer.Null() : writer.String(ParameterName(fault.path));
  writer.Key("code").String(fault.type).EndObject();
}

HttpResponse Respond(const Fault& fault, std::string body) {
  HttpResponse response{
      .status = fault.status, .body = std::move(body), .cause = fault.type, .reason = fault.reason};
  if (fault.retry_after) {
    response.headers.emplace_back("Retry-After", std::to_string(*fault.retry_after));
  }
  if (fault.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

// What is said of a question begins with its name, which is the client's text.
std::string WithoutName(const Error& error) {
  if (!error.path.starts_with("/questions")) return error.message;
  const size_t name_end = error.message.rfind(": ");
  return name_end == std::string::npos ? error.message : error.message.substr(name_end + 2);
}

}  // namespace

Fault ToFault(const Error& error, int retry_after) {
  Fault fault{.message = error.message, .path = error.path};
  switch (error.code) {
    case ErrorCode::kUsage:
    case ErrorCode::kRequest:
      fault.status = 422;
      fault.type = "value_error";
      return fault;
    case ErrorCode::kOverLength:
      fault.status = 413;
      fault.type = "max_tokens_exceeded";
      return fault;
    case ErrorCode::kBusy:
      fault.status = 529;
      fault.type = "overloaded_error";
      fault.retry_after = retry_after;
      return fault;
    case ErrorCode::kCancelled:  // nobody reads it; the status is nginx's, for the log
      return {.status = 499, .type = "client_closed_request", .message = error.message};
    case ErrorCode::kModel:
    case ErrorCode::kInternal:
      break;
  }
  // What a file of this machine is called is for the log, not for a client.
  return {.status = 500,
          .type = "internal_error",
          .message = "the model failed on this request",
          .reason = WithoutName(error)};
}

HttpResponse SystemOneFault(const Fault& fault) {
  JsonWriter writer;
  writer.BeginObject().Key("detail");
  WriteDetail(fault, writer);
  return Respond(fault, writer.EndObject().Take());
}

HttpResponse OpenAiFault(const Fault& fault) {
  JsonWriter writer;
  writer.BeginObject().Key("error");
  WriteError(fault, writer);
  return Respond(fault, writer.EndObject().Take());
}

HttpResponse EitherFault(const Fault& fault) {
  JsonWriter writer;
  writer.BeginObject().Key("detail");
  WriteDetail(fault, writer);
  writer.Key("error");
  WriteError(fault, writer);
  return Respond(fault, writer.EndObject().Take());
}

}  // namespace dikast::server
