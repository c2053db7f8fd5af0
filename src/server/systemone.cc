// POST /v1/systemone. protocols.md, section 1.
#include <utility>

#include "dikast/format.h"
#include "server/call.h"

namespace dikast::server {
namespace {

class SystemOneCall : public Call {
 public:
  explicit SystemOneCall(const CallContext& context) : context_(context) {}

  tl::expected<std::vector<Request>, Fault> Read(JsonValue body) override {
    if (const auto known = context_.names.Check(body.Find("model")); !known) {
      return tl::unexpected(known.error());
    }
    Result<Request> request = ParseRequest(std::move(body), decide_options());
    if (!request) return tl::unexpected(ToFault(request.error(), 1));
    return One(*std::move(request));
  }

  tl::expected<std::string, Fault> Write(const Completion& completion) override {
    const Result<Response>& response = completion.responses.front();
    if (!response) return tl::unexpected(ToFault(response.error(), 1));
    return FormatSystemOne(completion.requests.front(), *response);
  }

  HttpResponse WriteFault(const Fault& fault) const override { return SystemOneFault(fault); }
  DecideOptions decide_options() const override { return context_.options.decide; }

 private:
  const CallContext& context_;
};

}  // namespace

std::unique_ptr<Call> MakeSystemOneCall(const CallContext& context) {
  return std::make_unique<SystemOneCall>(context);
}

}  // namespace dikast::server
