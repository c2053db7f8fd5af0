// One POST in one protocol: body to requests, answers to body.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dikast/decision.h"
#include "dikast/scheduler.h"
#include "server/fault.h"
#include "server/http.h"
#include "server/model_names.h"

namespace dikast::server {

// What a protocol may look at. Lives as long as the server.
struct CallContext {
  const ServerOptions& options;
  const ModelNames& names;
  const ModelIdentity& model;
  const Scheduler& scheduler;  // for its planner
};

// Used by one thread at a time.
class Call {
 public:
  virtual ~Call() = default;

  // The requests in `body`. Keeps what Write needs beside them.
  virtual tl::expected<std::vector<Request>, Fault> Read(JsonValue body) = 0;
  // The whole body of a 200, or why there is none. `completion` has one response a request.
  virtual tl::expected<std::string, Fault> Write(const Completion& completion) = 0;
  virtual HttpResponse WriteFault(const Fault& fault) const = 0;
};

// A vector cannot be made of a list of values that only move.
inline std::vector<Request> One(Request request) {
  std::vector<Request> requests;
  requests.push_back(std::move(request));
  return requests;
}

// One a protocol, each in its own file.
std::unique_ptr<Call> MakeSystemOneCall(const CallContext& context);
std::unique_ptr<Call> MakeBatchCall(const CallContext& context);
std::unique_ptr<Call> MakePlanCall(const CallContext& context);
std::unique_ptr<Call> MakeDecisionsCall(const CallContext& context);
std::unique_ptr<Call> MakeDecideCall(const CallContext& context);

}  // namespace dikast::server
