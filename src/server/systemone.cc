// POST /v1/systemone. protocols.md, section 1.
#include <utility>

#include "base/try.h"
#include "dikast/format.h"
#include "server/request_reader.h"

namespace dikast::server {
namespace {

class SystemOneCall : public Call {
 public:
  explicit SystemOneCall(const CallContext& context) : context_(context) {}

  tl::expected<std::vector<Request>, Fault> Read(JsonValue body) override {
    DIKAST_TRY(SystemOneRequest read, ReadSystemOne(std::move(body), context_));
    details_ = read.details;
    return One(std::move(read.request));
  }

  tl::expected<std::string, Fault> Write(const Completion& completion) override {
    const Result<Response>& response = completion.responses.front();
    if (!response) return tl::unexpected(ToFault(response.error(), 1));
    return FormatSystemOne(completion.requests.front(), *response, details_);
  }

  HttpResponse WriteFault(const Fault& fault) const override { return SystemOneFault(fault); }

 private:
  const CallContext& context_;
  bool details_ = false;
};

}  // namespace

std::unique_ptr<Call> MakeSystemOneCall(const CallContext& context) {
  return std::make_unique<SystemOneCall>(context);
}

}  // namespace dikast::server
