// POST /v1/systemone/batch: several System One requests in one body, one submission for all.
// protocols.md, section 5.
#include <utility>

#include "base/json_writer.h"
#include "base/try.h"
#include "dikast/format.h"
#include "server/laya_options.h"
#include "server/request_reader.h"

namespace dikast::server {
namespace {

class BatchCall : public Call {
 public:
  explicit BatchCall(const CallContext& context) : context_(context) {}

  tl::expected<std::vector<Request>, Fault> Read(JsonValue body) override {
    DIKAST_CHECK_OK(CheckLayaOptions(body, context_, "", true));
    const bool states = body.Find("states"), requests = body.Find("requests");
    if (states == requests) {
      return Refuse(
          "value_error",
          "a batch is {\"states\": [...], \"questions\": {...}} or {\"requests\": [...]}" +
              std::string(states ? "; this one has both" : ""),
          "");
    }
    member_ = states ? "states" : "requests";
    DIKAST_TRY(JsonArray elements, TakeElements(body));
    DIKAST_TRY(std::vector<Request> read, states ? ReadStates(std::move(elements), std::move(body))
                                                 : ReadRequests(std::move(elements)));
    DIKAST_CHECK_OK(CheckPlans(read));
    return read;
  }

  tl::expected<std::string, Fault> Write(const Completion& completion) override {
    uint64_t input_tokens = 0;
    JsonWriter json;
    json.BeginObject().Key("results").BeginArray();
    for (size_t i = 0; i < completion.requests.size(); ++i) {
      const Result<Response>& response = completion.responses[i];
      if (!response) return tl::unexpected(FaultOf(i, response.error()));
      json.Raw(FormatSystemOne(completion.requests[i], *response, details_[i]));
      input_tokens += response->usage.input_tokens;
    }
    json.EndArray().Key("total_usage").BeginObject();
    json.Key("input_tokens").Integer(static_cast<int64_t>(input_tokens));
    return json.Key("output_tokens").Integer(0).EndObject().EndObject().Take();
  }

  HttpResponse WriteFault(const Fault& fault) const override { return SystemOneFault(fault); }

 private:
  std::string PathOf(size_t index) const { return PointerAppend("/" + member_, index); }

  Fault FaultOf(size_t index, const Error& error) const {
    Fault fault = ToFault(error, 1);
    if (member_ == "requests") {
      fault.path = PathOf(index) + fault.path;
    } else if (fault.path == "/state") {
      fault.path = PathOf(index);
    }
    return fault;
  }

  tl::expected<JsonArray, Fault> TakeElements(JsonValue& body) const {
    JsonValue value = Take(body, member_);
    const std::string path = "/" + member_;
    if (!value.AsArray()) {
      return Refuse("list_type",
                    "'" + member_ + "' must be an array, got " + std::string(value.KindName()),
                    path);
    }
    const size_t count = value.AsArray()->size();
    if (count == 0) return Refuse("too_short", "'" + member_ + "' is empty", path);
    DIKAST_CHECK_OK(CheckCount(count, member_, &ServerLimits::states, context_, path));
    return std::move(std::get<JsonArray>(value.value));
  }

  // Reads the questions once; each state gets a copy.
  tl::expected<std::vector<Request>, Fault> ReadStates(JsonArray states, JsonValue body) {
    const size_t written = WrittenOut(states.size(), body);
    if (body.AsObject()) std::get<JsonObject>(body.value).push_back({"state", {std::string()}});
    DIKAST_TRY(SystemOneRequest shared, ReadSystemOne(std::move(body), context_));
    const size_t questions = states.size() * shared.request.questions.size();
    DIKAST_CHECK_OK(CheckTotal(questions, "/questions"));
    if (written > context_.options.limits.decoded_bytes) {
      return Refuse("too_long",
                    "with its questions written out for every state this batch takes " +
                        std::to_string(written) + " bytes; this server reads at most " +
                        std::to_string(context_.options.limits.decoded_bytes) +
                        " (--decoded-bytes)",
                    "/states");
    }
    std::vector<Request> requests;
    for (size_t i = 0; i < states.size(); ++i) {
      DIKAST_CHECK_OK(CheckState(states[i], i));
      requests.push_back(shared.request);
      requests.back().state = std::move(states[i]);
    }
    details_.assign(requests.size(), shared.details);
    return requests;
  }

  // A short body must not ask for the work of a long one.
  static size_t WrittenOut(size_t states, const JsonValue& body) {
    const JsonValue* questions = body.Find("questions");
    return questions ? states * JsonWriter().Value(*questions).Take().size() : 0;
  }

  tl::expected<void, Fault> CheckState(const JsonValue& state, size_t index) const {
    if (state.AsString() || state.AsObject() || state.AsArray()) return {};
    return Refuse(
        "value_error",
        "a state must be a string, an object or an array, got " + std::string(state.KindName()),
        PathOf(index));
  }

  tl::expected<std::vector<Request>, Fault> ReadRequests(JsonArray bodies) {
    std::vector<Request> requests;
    size_t questions = 0;
    for (size_t i = 0; i < bodies.size(); ++i) {
      DIKAST_TRY(SystemOneRequest read, ReadSystemOne(std::move(bodies[i]), context_, PathOf(i)));
      questions += read.request.questions.size();
      details_.push_back(read.details);
      requests.push_back(std::move(read.request));
    }
    DIKAST_CHECK_OK(CheckTotal(questions, "/requests"));
    return requests;
  }

  tl::expected<void, Fault> CheckTotal(size_t questions, const char* path) const {
    return CheckCount(questions, "questions in all", &ServerLimits::questions, context_, path);
  }

  // Nothing of a batch is computed when one of its requests is refused. Planning twice costs a
  // small part of what a forward pass for nothing would.
  tl::expected<void, Fault> CheckPlans(const std::vector<Request>& requests) const {
    for (size_t i = 0; i < requests.size(); ++i) {
      const auto plans = context_.scheduler.planner().Plan(requests[i], context_.options.decide);
      if (!plans) return tl::unexpected(FaultOf(i, plans.error()));
    }
    return {};
  }

  const CallContext& context_;
  std::string member_;         // "states" or "requests"
  std::vector<bool> details_;  // by request
};

}  // namespace

std::unique_ptr<Call> MakeBatchCall(const CallContext& context) {
  return std::make_unique<BatchCall>(context);
}

}  // namespace dikast::server
