// POST /v1/systemone/plan: what the model would read of a System One body, without a forward pass.
#include <utility>

#include "base/try.h"
#include "dikast/format.h"
#include "server/request_reader.h"

namespace dikast::server {
namespace {

class PlanCall : public Call {
 public:
  explicit PlanCall(const CallContext& context) : context_(context) {}

  // Leaves no request to the scheduler: the answer is made here.
  tl::expected<std::vector<Request>, Fault> Read(JsonValue body) override {
    DIKAST_TRY(SystemOneRequest read, ReadSystemOne(std::move(body), context_));
    const Planner& planner = context_.scheduler.planner();
    const auto plans = planner.Plan(read.request, context_.options.decide);
    if (!plans) return tl::unexpected(ToFault(plans.error(), 1));
    answer_ = FormatBudget(read.request, *plans, planner.info().max_len);
    return std::vector<Request>{};
  }

  tl::expected<std::string, Fault> Write(const Completion&) override { return std::move(answer_); }
  HttpResponse WriteFault(const Fault& fault) const override { return SystemOneFault(fault); }

 private:
  const CallContext& context_;
  std::string answer_;
};

}  // namespace

std::unique_ptr<Call> MakePlanCall(const CallContext& context) {
  return std::make_unique<PlanCall>(context);
}

}  // namespace dikast::server
