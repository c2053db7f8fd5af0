// What the server does with a request, whatever connection it came by: checks, routes, answers.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "dikast/scheduler.h"
#include "dikast/server.h"
#include "server/call.h"
#include "server/gate.h"
#include "server/http.h"
#include "server/metrics.h"
#include "server/routes.h"

namespace dikast::server {

// The model once it is loaded.
struct LoadedModel {
  LoadedModel(const ServerOptions& options, Scheduler scheduler_in, ModelIdentity identity_in);

  ModelIdentity identity;
  ModelNames names;
  CallContext context;
  Scheduler scheduler;
};

// Thread-safe. Exchanges that need the model run on a few worker threads, the rest on the caller's.
class App {
 public:
  // `address` is listened on, `connections` tells how many are open.
  App(const ServerOptions& options, std::string_view address, std::unique_ptr<Log> log,
      std::function<size_t()> connections);
  ~App();

  const ServerOptions& options() const { return options_; }

  // From the head of a request alone: the answer, when it does not depend on the body.
  std::optional<HttpResponse> OnHead(Exchange& exchange);
  // Before each part of a body that OnHead let pass: the answer, when there is no room for it.
  std::optional<HttpResponse> OnBodyPart(Exchange& exchange, uint64_t received);
  // Answers through Exchange::Answer, now or later.
  void OnRequest(std::shared_ptr<Exchange> exchange);
  // Adds what every response carries, and logs it. Called by the connection before it writes.
  void Finish(const Exchange& exchange, HttpResponse& response);

  // Reads the keys file, at the start and again. Errors: the old keys stay.
  Result<void> LoadKeys() { return gate_.LoadKeys(); }
  // Loads the model; until then calls answer 503. Errors: of Engine::Load.
  Result<void> Load();
  // From now on new calls answer 503; those under way go on.
  void BeginDrain() { draining_ = true; }
  bool draining() const { return draining_; }
  uint64_t calls() const { return calls_; }
  Log& log() { return *log_; }

 private:
  const LoadedModel* model() const { return model_.load(std::memory_order_acquire); }
  HttpResponse AnswerHere(const Exchange& exchange, const Route& route) const;
  void StartCall(std::shared_ptr<Exchange> exchange, const Route& route);
  // `counted` is held until the exchange is answered.
  void RunCall(const std::shared_ptr<Exchange>& exchange, const Route& route,
               const std::shared_ptr<void>& counted);
  int RetryAfter() const;
  void Account(Exchange& exchange, const Completion& completion);
  void LogAccess(const Exchange& exchange, const HttpResponse& response, double seconds);

  ServerOptions options_;
  Gate gate_;
  std::unique_ptr<Log> log_;
  std::function<size_t()> connections_;
  Metrics metrics_;
  std::unique_ptr<LoadedModel> loaded_;
  std::atomic<LoadedModel*> model_ = nullptr;
  std::atomic<bool> draining_ = false;
  std::atomic<uint64_t> calls_ = 0;
  // Destroyed by hand, in this order: readers submit to the scheduler, which hands to the writers.
  boost::asio::thread_pool readers_, writers_;
};

}  // namespace dikast::server
