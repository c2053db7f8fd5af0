#include "cli/mcp_source.h"

#include "base/json_writer.h"
#include "base/try.h"
#include "cli/info.h"
#include "cli/service_client.h"
#include "dikast/format.h"

namespace dikast::cli {
namespace {

class Local : public DecisionSource {
 public:
  Local(const EngineOptions& options, const DecideOptions& reading)
      : engine_(Engine::Load(options)), reading_(reading) {}

  Result<Decision> Decide(const Request& request, const JsonValue&) override {
    if (!engine_) return tl::unexpected(engine_.error());
    DIKAST_TRY(const Response response, engine_->Decide(request, reading_));
    Decision decision{FormatSystemOne(request, response), {}};
    for (size_t q = 0; q < request.questions.size(); ++q) {
      for (std::string& cut : DescribeCuts(request.questions[q], response.plans[q])) {
        decision.notes.push_back(std::move(cut));
      }
    }
    return decision;
  }

  Result<std::string> Models() override {
    if (!engine_) return tl::unexpected(engine_.error());
    JsonWriter writer;
    writer.BeginObject().Key("models").BeginArray().BeginObject();
    writer.Key("name").String(engine_->info().name);
    writer.Key("description").String("the model loaded in this process, " + engine_->info().family);
    return writer.EndObject().EndArray().EndObject().Take();
  }

  Result<std::string> Status() override {
    if (!engine_) return tl::unexpected(engine_.error());
    return FormatInfo(engine_->info());
  }

 private:
  Result<Engine> engine_;
  DecideOptions reading_;
};

class Remote : public DecisionSource {
 public:
  Remote(ServiceClient client, std::string over_length)
      : client_(std::move(client)), over_length_(std::move(over_length)) {}

  Result<Decision> Decide(const Request&, const JsonValue& document) override {
    JsonValue sent = document;
    AddMember(sent, "over_length", over_length_);
    auto response = client_.Post("/v1/systemone", JsonWriter().Value(sent).Take());
    if (!response) return tl::unexpected(std::move(response).error().error);
    const std::string cut = DescribeTruncation(*response);
    return Decision{std::move(response->body),
                    cut.empty() ? std::vector<std::string>() : std::vector<std::string>{cut}};
  }

  Result<std::string> Models() override { return Get("/v1/models"); }
  Result<std::string> Status() override { return Get("/status"); }

 private:
  Result<std::string> Get(const char* target) {
    auto response = client_.Get(target);
    if (!response) return tl::unexpected(std::move(response).error().error);
    return std::move(response->body);
  }

  ServiceClient client_;
  std::string over_length_;
};

}  // namespace

OpenSource LocalSource(const EngineOptions& options, const DecideOptions& reading) {
  return [=]() -> std::unique_ptr<DecisionSource> {
    return std::make_unique<Local>(options, reading);
  };
}

OpenSource RemoteSource(ServiceClient client, const std::string& over_length) {
  // std::function wants to copy, and a client cannot be.
  auto kept = std::make_shared<ServiceClient>(std::move(client));
  return [=]() -> std::unique_ptr<DecisionSource> {
    return std::make_unique<Remote>(std::move(*kept), over_length);
  };
}

}  // namespace dikast::cli
