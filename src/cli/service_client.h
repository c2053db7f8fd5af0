// Asking a running server: address, key, retries, and errors that say what to do.
#pragma once

#include <CLI/App.hpp>
#include <random>
#include <string>

#include "base/http_client.h"
#include "cli/exit.h"
#include "cli/retry.h"
#include "dikast/json.h"

namespace dikast::cli {

struct ServiceOptions {
  std::string url, key_file;
  int retries = 2;
  double timeout = 10, total_timeout = 30;  // seconds: of one try, of all
};

constexpr char kServiceGroup[] = "Server";

// --url and --key-file.
void AddServiceOptions(CLI::App& command, ServiceOptions& service);
// --retries, --timeout, --total-timeout.
void AddRetryOptions(CLI::App& command, ServiceOptions& service);

// --url, else $DIKAST_URL, else nothing.
std::string FindUrl(const ServiceOptions& service);
// The first line of --key-file, else $DIKAST_API_KEY, else nothing.
Result<std::string> FindKey(const ServiceOptions& service);

struct ServiceFault {
  Error error;
  ExitCode exit_code = kServerFault;
};

template <class T>
using ServiceResult = tl::expected<T, ServiceFault>;

[[noreturn]] void Quit(const ServiceFault& fault);

template <class T>
T OrQuit(ServiceResult<T> result) {
  if (!result) Quit(result.error());
  return *std::move(result);
}

// One kept connection. Not thread safe.
class ServiceClient {
 public:
  // The address defaults to http://127.0.0.1:8080. Errors: kUsage for it, kModel for the key's
  // file.
  static Result<ServiceClient> Open(const ServiceOptions& service);

  // The answer with status 200. Sends again by the rules of retry.h; every request here may be
  // sent twice.
  ServiceResult<HttpResponse> Get(const std::string& target);
  ServiceResult<HttpResponse> Post(const std::string& target, std::string body);

  const std::string& name() const { return name_; }  // "http://127.0.0.1:8080"

 private:
  ServiceClient(HttpUrl url, std::string key, const RetryPolicy& policy);
  ServiceResult<HttpResponse> Exchange(HttpRequest request);

  std::string name_, key_;
  RetryPolicy policy_;
  HttpConnection connection_;
  std::minstd_rand random_;
};

// Adds what an option says to a request that does not say it itself; an empty value adds nothing.
void AddMember(JsonValue& document, const char* key, const std::string& value);

// "2 questions: the state was cut; 1 question: options or instructions were cut", from the headers
// X-Dikast-Truncated and X-Dikast-Cut; empty when nothing was.
std::string DescribeTruncation(const HttpResponse& response);

// What an answer other than 200 means, from its status and its body in any of the dialects.
ServiceFault ReadFault(const std::string& server, const HttpResponse& response);

}  // namespace dikast::cli
