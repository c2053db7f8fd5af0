#include "cli/service_client.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdlib>
#include <thread>

#include "base/file.h"
#include "base/retry_after.h"
#include "base/try.h"

namespace dikast::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kDefaultUrl[] = "http://127.0.0.1:8080";
constexpr size_t kMostKeyFileBytes = 1 << 16;

Milliseconds FromSeconds(double seconds) {
  return Milliseconds(static_cast<int64_t>(seconds * 1000));
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

ServiceFault Unreachable(const std::string& server, const HttpFailure& failure, int tries) {
  const bool connected = failure.kind != HttpFailure::Kind::kConnect;
  std::string message = connected ? "no answer from the server" : "cannot reach the server";
  message += " after " + std::to_string(tries) + (tries == 1 ? " try: " : " tries: ");
  message += failure.message;
  message += connected ? "; is it a dikast server, or is it overloaded?"
                       : "; start one with 'dikast serve', or say where it is with --url or "
                         "$DIKAST_URL";
  return {{ErrorCode::kInternal, message, server}};
}

}  // namespace

void AddServiceOptions(CLI::App& command, ServiceOptions& service) {
  command
      .add_option("--url", service.url,
                  "The server (default: $DIKAST_URL, else " + std::string(kDefaultUrl) + ")")
      ->group(kServiceGroup);
  command
      .add_option("--key-file", service.key_file,
                  "A file whose first line is the key (default: $DIKAST_API_KEY)")
      ->group(kServiceGroup);
}

void AddRetryOptions(CLI::App& command, ServiceOptions& service) {
  command
      .add_option("--retries", service.retries,
                  "Further tries when the server is busy, failing or not reached (default: 2)")
      ->check(CLI::Range(0, 100))
      ->group(kServiceGroup);
  command.add_option("--timeout", service.timeout, "Longest try in seconds (default: 10)")
      ->check(CLI::Range(0.001, 86400.0))
      ->group(kServiceGroup);
  command
      .add_option("--total-timeout", service.total_timeout,
                  "Longest time for all tries in seconds (default: 30)")
      ->check(CLI::Range(0.001, 86400.0))
      ->group(kServiceGroup);
}

std::string FindUrl(const ServiceOptions& service) {
  return service.url.empty() ? Variable("DIKAST_URL") : service.url;
}

Result<std::string> FindKey(const ServiceOptions& service) {
  std::string key = Variable("DIKAST_API_KEY"), source = "$DIKAST_API_KEY";
  if (!service.key_file.empty()) {
    source = service.key_file;
    DIKAST_TRY(key, ReadFile(service.key_file, kMostKeyFileBytes));
    key = key.substr(0, key.find_first_of("\r\n"));
    if (key.empty()) return Fail(ErrorCode::kModel, "the first line must be the key", source);
  }
  for (const char c : key) {
    if (c <= ' ' || c > '~') {
      return Fail(ErrorCode::kModel, "a key has no spaces, control characters or accents", source);
    }
  }
  return key;
}

void AddMember(JsonValue& document, const char* key, const std::string& value) {
  auto* members = std::get_if<JsonObject>(&document.value);
  if (value.empty() || members == nullptr || document.Find(key) != nullptr) return;
  members->push_back({key, JsonValue{value}});
}

std::string DescribeTruncation(const HttpResponse& response) {
  std::string text;
  const auto add = [&](const char* header, const char* what) {
    const std::string* questions = response.Find(header);
    if (questions == nullptr) return;
    text += (text.empty() ? "" : "; ") + *questions;
    text += (*questions == "1" ? " question: " : " questions: ") + std::string(what);
  };
  add("x-dikast-truncated", "the state was cut");
  add("x-dikast-cut", "options or instructions were cut");
  return text;
}

void Quit(const ServiceFault& fault) {
  Complain(Describe(fault.error));
  throw Exit{fault.exit_code};
}

Result<ServiceClient> ServiceClient::Open(const ServiceOptions& service) {
  const std::string found = FindUrl(service), address = found.empty() ? kDefaultUrl : found;
  Result<HttpUrl> url = ParseHttpUrl(address);
  if (!url) return Fail(url.error().code, url.error().message, address);
  DIKAST_TRY(std::string key, FindKey(service));
  const RetryPolicy policy{.retries = service.retries,
                           .per_try = FromSeconds(service.timeout),
                           .total = FromSeconds(service.total_timeout)};
  return ServiceClient(*std::move(url), std::move(key), policy);
}

ServiceClient::ServiceClient(HttpUrl url, std::string key, const RetryPolicy& policy)
    : name_("http://" + url.Authority() + url.prefix),
      key_(std::move(key)),
      policy_(policy),
      connection_(std::move(url), {}),
      random_(std::random_device{}()) {}

ServiceResult<HttpResponse> ServiceClient::Get(const std::string& target) {
  return Exchange({.method = "GET", .target = target, .headers = {}, .body = {}});
}

ServiceResult<HttpResponse> ServiceClient::Post(const std::string& target, std::string body) {
  return Exchange({.method = "POST",
                   .target = target,
                   .headers = {{"Content-Type", "application/json"}},
                   .body = std::move(body)});
}

ServiceResult<HttpResponse> ServiceClient::Exchange(HttpRequest request) {
  request.headers.emplace_back("Accept", "application/json");
  if (!key_.empty()) request.headers.emplace_back("Authorization", "Bearer " + key_);
  const Clock::time_point deadline = Clock::now() + policy_.total;
  const auto left = [&] {
    return std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
  };
  for (int tries = 1;; ++tries) {
    const auto response = connection_.Exchange(request, std::min(policy_.per_try, left()));
    if (response && response->status == 200) return *response;
    const bool hopeless = response ? !IsWorthRetrying(response->status)
                                   : response.error().kind == HttpFailure::Kind::kResponse;
    std::optional<Milliseconds> wait;
    if (response) wait = RequestedWait(*response, std::chrono::system_clock::now());
    if (!wait) {
      wait = BackOff(policy_, tries - 1, std::uniform_real_distribution<double>()(random_));
    }
    if (hopeless || tries > policy_.retries || *wait >= left()) {
      if (!response) return tl::unexpected(Unreachable(name_, response.error(), tries));
      return tl::unexpected(ReadFault(name_, *response));
    }
    std::this_thread::sleep_for(*wait);
  }
}

}  // namespace dikast::cli
