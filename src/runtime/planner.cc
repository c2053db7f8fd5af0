#include <utility>

#include "base/quote.h"
#include "base/try.h"
#include "runtime/guard.h"
#include "runtime/planner_impl.h"

namespace dikast {
namespace {

Result<int32_t> TokenId(const Tokenizer& tokenizer, const std::string& literal,
                        const std::string& file) {
  if (const std::optional<int32_t> id = tokenizer.TokenToId(literal)) return *id;
  return Fail(
      ErrorCode::kModel,
      "the vocabulary lacks the token " + Quote(literal) + " that tokenizer_config.json names",
      file);
}

Result<SequenceRules> MakeRules(const CheckpointConfig& config, const Tokenizer& tokenizer,
                                const ModelInfo& info, const std::string& file) {
  SequenceRules rules;
  rules.max_len = info.max_len;
  rules.head_max_len = info.head_max_len;
  DIKAST_TRY(rules.cls, TokenId(tokenizer, config.tokens.cls, file));
  DIKAST_TRY(rules.sep, TokenId(tokenizer, config.tokens.sep, file));
  DIKAST_TRY(rules.mask, TokenId(tokenizer, config.tokens.mask, file));
  rules.mask_literal = config.tokens.mask;
  rules.truncate_left = config.tokens.truncate_left;
  return rules;
}

}  // namespace

Result<Planner> Planner::Load(const EngineOptions& options) {
  return Guarded("reading the tokenizer", [&]() -> Result<Planner> {
    DIKAST_TRY(CheckpointConfig config, LoadConfig(options.model));
    DIKAST_TRY(ModelInfo info, DescribeModel(config, options));
    const std::filesystem::path file = options.model / "tokenizer" / "tokenizer.json";
    DIKAST_TRY(Tokenizer tokenizer, Tokenizer::FromFile(file));
    DIKAST_TRY(SequenceRules rules, MakeRules(config, tokenizer, info, file.string()));
    return Planner(std::unique_ptr<Impl>(
        new Impl{std::move(config), std::move(tokenizer), std::move(rules), std::move(info)}));
  });
}

Result<std::vector<QuestionPlan>> Planner::Plan(const Request& request,
                                                const DecideOptions& options) const {
  return Guarded("planning the request",
                 [&] { return PlanRequest(request, options, impl_->tokenizer, impl_->rules); });
}

const ModelInfo& Planner::info() const { return impl_->info; }

Planner::Planner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;
Planner::~Planner() = default;

}  // namespace dikast
