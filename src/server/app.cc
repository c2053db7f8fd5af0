#include "server/app.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/thread_pool.h"
#include "base/try.h"
#include "server/body.h"
#include "server/head.h"
#include "server/identity.h"
#include "server/openapi.h"
#include "server/pages.h"
#include "server/redirect.h"

namespace dikast::server {
namespace {

using Clock = Exchange::Clock;

// Reading, planning and writing cost far less than the forward pass between them.
constexpr int kReaders = 2, kWriters = 1;

// Official SDKs give up when they are told to wait for long. protocols.md, resolution 3.
constexpr int kLeastRetryAfter = 1, kMostRetryAfter = 5;

Fault NotFound() {
  return {.status = 404,
          .type = "not_found",
          .message =
              "there is no such path; decisions are asked at POST /v1/systemone, and GET "
              "/openapi.json lists all paths"};
}

Fault MethodNotAllowed(const Route& route) {
  return {.status = 405,
          .type = "method_not_allowed",
          .message = "this path takes " + std::string(route.method)};
}

Fault Unavailable(bool draining) {
  return {.status = 503,
          .type = "unavailable",
          .message = draining ? "the server is stopping" : "the model is still being loaded",
          .retry_after = kLeastRetryAfter};
}

std::string ServerTiming(const StageTimes& times) {
  char text[160];
  std::snprintf(
      text, sizeof text, "queue;dur=%.3f, tokenise;dur=%.3f, forward;dur=%.3f, decode;dur=%.3f",
      times.queue.count(), times.tokenise.count(), times.forward.count(), times.decode.count());
  return text;
}

// In how many questions the state, or options or instructions, lost tokens.
void TellCuts(const Completion& completion, Headers& headers) {
  size_t truncated = 0, cut = 0;
  for (const Result<Response>& response : completion.responses) {
    if (!response) continue;
    truncated += response->usage.truncated_questions.size();
    cut += CountCut(*response);
  }
  if (truncated > 0) headers.emplace_back("X-Dikast-Truncated", std::to_string(truncated));
  if (cut > 0) headers.emplace_back("X-Dikast-Cut", std::to_string(cut));
}

HttpResponse Answer(Call& call, const Completion& completion) {
  tl::expected<std::string, Fault> body = call.Write(completion);
  if (!body) return call.WriteFault(body.error());
  HttpResponse response{.body = *std::move(body)};
  response.headers.emplace_back("Server-Timing", ServerTiming(completion.times));
  TellCuts(completion, response.headers);
  return response;
}

// Out of memory, say: this call fails, the server goes on.
template <class Work>
void OrFail(Exchange& exchange, const Route& route, const Work& work) {
  try {
    work();
  } catch (const std::exception& exception) {
    exchange.Answer(route.fault({.status = 500,
                                 .type = "internal_error",
                                 .message = "the server could not answer this request",
                                 .reason = exception.what()}));
  }
}

}  // namespace

LoadedModel::LoadedModel(const ServerOptions& options, Scheduler scheduler_in,
                         ModelIdentity identity_in)
    : identity(std::move(identity_in)),
      names(options, identity.info),
      context{options, names, identity, scheduler},
      scheduler(std::move(scheduler_in)) {}

App::App(const ServerOptions& options, std::string_view address, std::unique_ptr<Log> log,
         std::function<size_t()> connections)
    : options_(options),
      gate_(options_, address),
      log_(std::move(log)),
      connections_(std::move(connections)),
      readers_(kReaders),
      writers_(kWriters) {}

App::~App() {
  readers_.join();
  loaded_.reset();
  writers_.join();
}

Result<void> App::Load() {
  EngineOptions engine_options = options_.engine;
  engine_options.batch_tokens = static_cast<uint32_t>(options_.limits.batch_tokens);
  if (engine_options.threads == 0) engine_options.threads = UsableCores();
  engine_options.threads = std::max(1, engine_options.threads / options_.replicas);
  std::vector<Engine> replicas;
  for (int i = 0; i < options_.replicas; ++i) {
    DIKAST_TRY(Engine engine, Engine::Load(engine_options));
    replicas.push_back(std::move(engine));
  }
  DIKAST_TRY(ModelIdentity identity, Identify(replicas.front().info()));
  const ServerLimits& limits = options_.limits;
  DIKAST_TRY(Scheduler scheduler,
             Scheduler::Start(std::move(replicas),
                              {.queue_submissions = limits.queue_requests,
                               .queue_tokens = limits.queue_tokens,
                               .longest_wait = std::chrono::milliseconds(limits.longest_wait_ms)},
                              [this](const BatchReport& batch) { metrics_.OnBatch(batch); }));
  loaded_ = std::make_unique<LoadedModel>(options_, std::move(scheduler), std::move(identity));
  model_.store(loaded_.get(), std::memory_order_release);
  return {};
}

int App::RetryAfter() const {
  if (!model()) return kLeastRetryAfter;
  const auto seconds =
      std::chrono::ceil<std::chrono::seconds>(model()->scheduler.load().expected).count();
  return std::clamp(static_cast<int>(seconds), kLeastRetryAfter, kMostRetryAfter);
}

std::optional<HttpResponse> App::OnHead(Exchange& exchange) {
  const HttpRequest& request = exchange.request;
  exchange.facts.trace = ContinueTrace(request.Header("traceparent"));
  if (!options_.redirect_to.empty()) return RedirectPage(request, options_.redirect_to);
  const Route* route = FindRoute(request.path);
  if (route) exchange.facts.route = route->path;
  if (const std::optional<Fault> fault = gate_.CheckCaller(exchange, route)) {
    return route ? route->fault(*fault) : EitherFault(*fault);
  }
  if (!route) return SystemOneFault(NotFound());
  const bool head = request.method == "HEAD" && route->method == "GET";
  if (request.method != route->method && !head) {
    HttpResponse response = route->fault(MethodNotAllowed(*route));
    response.headers.emplace_back("Allow", route->method == "GET" ? "GET, HEAD" : "POST");
    return response;
  }
  if (route->method == "GET") return std::nullopt;
  const std::optional<Fault> fault = gate_.AdmitCall(exchange);
  return fault ? std::optional(route->fault(*fault)) : std::nullopt;
}

std::optional<HttpResponse> App::OnBodyPart(Exchange& exchange, uint64_t received) {
  if (!exchange.body_claim) return std::nullopt;
  const std::optional<Fault> fault = gate_.AdmitPart(exchange, received);
  return fault ? std::optional(FindRoute(exchange.request.path)->fault(*fault)) : std::nullopt;
}

HttpResponse App::AnswerHere(const Exchange& exchange, const Route& route) const {
  if (route.page == Page::kHealth) return HealthPage();
  if (route.page == Page::kOpenApi) return {.body = std::string(OpenApiJson())};
  if (route.page == Page::kHome) return HomePage();
  if (route.page == Page::kReady) return ReadyPage(model() != nullptr, draining_);
  if (route.page == Page::kMetrics) {
    return {.body = metrics_.Text(model() ? &model()->identity : nullptr,
                                  model() ? &model()->scheduler : nullptr, connections_()),
            .content_type = "text/plain; version=0.0.4; charset=utf-8"};
  }
  if (!model()) return route.fault(Unavailable(draining_));
  switch (route.page) {
    case Page::kModels:
      return ModelsPage(model()->context);
    case Page::kModel:
      return ModelPage(model()->context,
                       std::string_view(exchange.request.path).substr(route.path.size() - 1));
    default:
      return StatusPage(model()->context, model()->scheduler);
  }
}

void App::OnRequest(std::shared_ptr<Exchange> exchange) {
  const Route& route = *FindRoute(exchange->request.path);  // OnHead has seen to it
  if (route.method == "GET") {
    exchange->Answer(AnswerHere(*exchange, route));
  } else {
    StartCall(std::move(exchange), route);
  }
}

// Says no before anything is parsed, else hands the call to a worker.
void App::StartCall(std::shared_ptr<Exchange> exchange, const Route& route) {
  if (!model() || draining_) {
    exchange->Answer(route.fault(Unavailable(draining_)));
    return;
  }
  if (const Result<void> admitted = model()->scheduler.Admits(); !admitted) {
    exchange->Answer(route.fault(ToFault(admitted.error(), RetryAfter())));
    return;
  }
  ++calls_;
  const std::shared_ptr<void> counted(nullptr, [this](void*) { --calls_; });
  boost::asio::post(readers_, [this, exchange = std::move(exchange), &route, counted] {
    OrFail(*exchange, route, [&] { RunCall(exchange, route, counted); });
  });
}

void App::RunCall(const std::shared_ptr<Exchange>& exchange, const Route& route,
                  const std::shared_ptr<void>& counted) {
  const auto deadline = exchange->received + std::chrono::milliseconds(options_.limits.deadline_ms);
  if (exchange->gone() || Clock::now() >= deadline) {
    return exchange->Answer(route.fault(
        {.status = 529,
         .type = "overloaded_error",
         .message = "the request waited past its deadline (--deadline-ms) before it was read",
         .retry_after = RetryAfter()}));
  }
  tl::expected<JsonValue, Fault> body = ReadBody(exchange->request, options_.limits);
  exchange->body_claim.reset();
  if (!body) return exchange->Answer(route.fault(body.error()));
  const std::shared_ptr<Call> call = route.call(model_.load()->context);
  tl::expected<std::vector<Request>, Fault> requests = call->Read(*std::move(body));
  if (!requests) return exchange->Answer(call->WriteFault(requests.error()));
  Scheduler& scheduler = model_.load()->scheduler;
  const Result<Scheduler::Ticket> ticket = scheduler.Submit(
      *std::move(requests), options_.decide, deadline,
      [this, exchange, &route, call, counted](Completion completion) {
        boost::asio::post(
            writers_, [this, exchange, &route, call, counted, completion = std::move(completion)] {
              OrFail(*exchange, route, [&] {
                Account(*exchange, completion);
                exchange->Answer(Answer(*call, completion));
              });
            });
      });
  if (!ticket) return exchange->Answer(call->WriteFault(ToFault(ticket.error(), RetryAfter())));
  exchange->OnLeave([&scheduler, id = *ticket] { scheduler.Cancel(id); });
}

void App::Account(Exchange& exchange, const Completion& completion) {
  metrics_.OnCompletion(completion);
  exchange.facts.timing = ServerTiming(completion.times);
  for (const Result<Response>& response : completion.responses) {
    if (!response) continue;
    exchange.facts.questions += response->answers.size();
    exchange.facts.tokens += response->usage.input_tokens;
  }
}

void App::Finish(const Exchange& exchange, HttpResponse& response) {
  response.close = response.close || draining_;
  Harden(response);
  response.headers.emplace_back("X-Request-Id", exchange.id);
  response.headers.emplace_back("X-TypeSafe-Request-Id", exchange.id);
  if (exchange.facts.trace) {
    response.headers.emplace_back("traceparent", exchange.facts.trace->ToHeader());
  }
  if (const LoadedModel* loaded = model()) {
    response.headers.emplace_back("X-Dikast-Model", loaded->identity.revision);
  }
  const std::chrono::duration<double> age = Clock::now() - exchange.received;
  metrics_.OnResponse(exchange, response, age.count());
  LogAccess(exchange, response, age.count());
}

// Nothing of a user's text: the route instead of the path, sizes instead of bodies.
void App::LogAccess(const Exchange& exchange, const HttpResponse& response, double seconds) {
  // Starting, stopping and a full queue are expected: 503 and 529.
  const LogLevel level = response.status == 500 ? LogLevel::kError : LogLevel::kInfo;
  if (!log_->Enabled(level)) return;
  const ExchangeFacts& facts = exchange.facts;
  JsonWriter line = Log::Begin(level, "request");
  line.Key("request_id").String(exchange.id).Key("peer").String(exchange.request.peer);
  line.Key("route").String(facts.route).Key("status").Integer(response.status);
  line.Key("bytes_in").Integer(static_cast<int64_t>(exchange.request.content_length));
  line.Key("bytes_out").Integer(static_cast<int64_t>(response.body.size()));
  line.Key("ms").Number(seconds * 1000);
  if (!facts.timing.empty()) line.Key("stages").String(facts.timing);
  if (facts.questions > 0) {
    line.Key("questions").Integer(static_cast<int64_t>(facts.questions));
    line.Key("tokens").Integer(static_cast<int64_t>(facts.tokens));
  }
  if (!response.cause.empty()) line.Key("cause").String(response.cause);
  if (!response.reason.empty()) line.Key("reason").String(response.reason);
  if (exchange.key > 0) line.Key("key").Integer(static_cast<int64_t>(exchange.key));
  if (facts.trace) line.Key("trace_id").String(facts.trace->trace_id);
  log_->Write(level, std::move(line));
}

}  // namespace dikast::server
