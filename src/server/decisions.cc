// POST /v1/decisions: one path, two dialects, told apart by the body. protocols.md, resolution 9.
#include <utility>

#include "server/openai.h"

namespace dikast::server {
namespace {

class DecisionsCall : public Call {
 public:
  explicit DecisionsCall(const CallContext& context) : context_(context) {}

  tl::expected<std::vector<Request>, Fault> Read(JsonValue body) override {
    const bool openai = IsOpenAi(body);
    known_ = openai || body.Find("state") || body.Find("questions");
    dialect_ = openai ? MakeOpenAiCall(context_) : MakeSystemOneCall(context_);
    return dialect_->Read(std::move(body));
  }

  tl::expected<std::string, Fault> Write(const Completion& completion) override {
    return dialect_->Write(completion);
  }

  HttpResponse WriteFault(const Fault& fault) const override {
    return known_ ? dialect_->WriteFault(fault) : EitherFault(fault);
  }

 private:
  const CallContext& context_;
  std::unique_ptr<Call> dialect_;
  bool known_ = false;  // which of the two it is
};

}  // namespace

std::unique_ptr<Call> MakeDecisionsCall(const CallContext& context) {
  return std::make_unique<DecisionsCall>(context);
}

}  // namespace dikast::server
