// Answers of a server that are no answers: what went wrong, and what to do.
#include "cli/service_client.h"
#include "dikast/json.h"

namespace dikast::cli {
namespace {

constexpr size_t kMostPlainText = 300;

struct Said {
  std::string message, path;
};

std::string TextOf(const JsonValue* value) {
  const std::string* text = value == nullptr ? nullptr : value->AsString();
  return text == nullptr ? "" : *text;
}

// {"loc": ["body", "questions", "a"], "msg": ...}: the place as a JSON Pointer.
Said ReadValidation(const JsonArray& faults) {
  if (faults.empty()) return {};
  Said said{TextOf(faults[0].Find("msg")), {}};
  const JsonValue* place = faults[0].Find("loc");
  const JsonArray* tokens = place == nullptr ? nullptr : place->AsArray();
  for (size_t i = 1; tokens != nullptr && i < tokens->size(); ++i) {
    const JsonNumber* index = (*tokens)[i].AsNumber();
    said.path = PointerAppend(said.path, index ? index->spelling : TextOf(&(*tokens)[i]));
  }
  if (faults.size() > 1) {
    said.message += " (and " + std::to_string(faults.size() - 1) + " more)";
  }
  return said;
}

// TypeSafe's detail (list, object or text), OpenAI's error object, a plain error text.
Said ReadBody(const std::string& body) {
  const Result<JsonValue> value = ParseJson(body, JsonDialect::kReference);
  if (!value) return {body.substr(0, kMostPlainText), {}};
  for (const char* name : {"detail", "error"}) {
    const JsonValue* fault = value->Find(name);
    if (fault == nullptr) continue;
    if (fault->AsArray() != nullptr) return ReadValidation(*fault->AsArray());
    if (fault->AsString() != nullptr) return {*fault->AsString(), {}};
    return {TextOf(fault->Find("message")), {}};
  }
  return {TextOf(value->Find("message")), {}};
}

struct Advice {
  ExitCode exit_code;
  std::string text;
};

Advice Advise(const HttpResponse& response) {
  const std::string* after = response.Find("retry-after");
  const std::string* location = response.Find("location");
  switch (response.status) {
    case 401:
    case 403:
      return {kUsageError, "give the key in $DIKAST_API_KEY or with --key-file"};
    case 404:
    case 405:
      return {kUsageError, "is this the address of a dikast server, without /v1?"};
    case 408:
    case 429:
    case 503:
    case 529:
      return {kServerFault, after == nullptr ? "it is busy: try again later"
                                             : "it is busy: try again in " + *after + " s"};
    default:
      break;
  }
  if (location != nullptr) return {kUsageError, "the server has moved: use " + *location};
  if (response.status >= 400 && response.status < 500) return {kRequestRefused, ""};
  return {kServerFault, "a fault of the server: its log says more"};
}

}  // namespace

ServiceFault ReadFault(const std::string& server, const HttpResponse& response) {
  const Said said = ReadBody(response.body);
  const auto [exit_code, advice] = Advise(response);
  std::string message = server + " answered " + std::to_string(response.status);
  if (!said.message.empty()) message += ": " + said.message;
  if (!advice.empty()) message += "; " + advice;
  const ErrorCode code = exit_code == kUsageError       ? ErrorCode::kUsage
                         : exit_code == kRequestRefused ? ErrorCode::kRequest
                                                        : ErrorCode::kInternal;
  return {{code, std::move(message), said.path}, exit_code};
}

}  // namespace dikast::cli
