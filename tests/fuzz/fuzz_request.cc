// A request of any bytes: planned and answered with made-up logits in every mode, or refused. What
// is written must be JSON again.
#include <cstdlib>
#include <string_view>
#include <vector>

#include "decision/planner.h"
#include "decision/readout.h"
#include "dikast/format.h"
#include "dikast/json.h"
#include "dikast/tokenizer.h"
#include "tests/fuzz/largest_allocation.h"

namespace {

using dikast::DecideOptions;

const dikast::Tokenizer& BundledTokenizer() {
  static const auto* tokenizer =
      new dikast::Tokenizer(dikast::Tokenizer::FromFile(
                                DIKAST_SOURCE_DIR "/models/dikast-mini-v1/tokenizer/tokenizer.json")
                                .value());
  return *tokenizer;
}

dikast::Answer AnswerWithMadeUpLogits(const dikast::Question& question,
                                      const dikast::QuestionPlan& plan) {
  std::vector<float> logits(question.options.size());
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i % 7) - 3;
  const std::vector<float> actions = {1.5f, -0.5f};
  std::vector<dikast::SequenceOutput> outputs;
  for (const auto& sequence : plan.sequences) {
    outputs.push_back({std::span(logits).first(sequence.markers.size()), actions});
  }
  return dikast::ReadOut(question, plan, outputs, {}).value();
}

void RequireJson(const std::string& text, dikast::JsonDialect dialect) {
  if (!dikast::ParseJson(text, dialect)) std::abort();
}

void Handle(std::string_view json, const DecideOptions& options) {
  const auto request = dikast::ParseRequest(json, options);
  if (!request) return RequireJson(dikast::FormatError(request.error()), {});
  const dikast::SequenceRules rules = {.max_len = 96,
                                       .head_max_len = 48,
                                       .cls = 101,
                                       .sep = 102,
                                       .mask = 103,
                                       .mask_literal = "[MASK]"};
  const auto plans = dikast::PlanRequest(*request, options, BundledTokenizer(), rules);
  if (!plans) return RequireJson(dikast::FormatError(plans.error()), {});
  dikast::Response response{.model = "fuzz", .answers = {}, .plans = *plans, .usage = {}};
  response.usage = dikast::CountUsage(*request, *plans, options);
  for (size_t i = 0; i < plans->size(); ++i) {
    for (const auto& sequence : (*plans)[i].sequences) {
      if (sequence.ids.size() > rules.max_len) std::abort();
    }
    response.answers.push_back(AnswerWithMadeUpLogits(request->questions[i], (*plans)[i]));
  }
  // The laya form may repeat a key, as the reference does (labels 1 and "1").
  RequireJson(dikast::FormatSystemOne(*request, response), {});
  RequireJson(dikast::FormatLaya(*request, response), dikast::JsonDialect::kReference);
  RequireJson(dikast::FormatDetails(*request, response), dikast::JsonDialect::kReference);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  BundledTokenizer();
  const dikast::AllocationLimit limit(size);
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  Handle(json, {});
  Handle(json,
         {.over_length = dikast::OverLength::kTruncate, .options = dikast::OptionsMode::kGroup});
  Handle(json,
         {.over_length = dikast::OverLength::kWindow, .options = dikast::OptionsMode::kRefuse});
  Handle(json, {.over_length = dikast::OverLength::kTruncate, .reference = true});
  return 0;
}
