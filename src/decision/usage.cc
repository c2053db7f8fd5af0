#include <algorithm>

#include "decision/planner.h"

namespace dikast {
namespace {

// The most state tokens offered to, and lost by, the sequences of one window of one question.
struct WindowTokens {
  uint32_t offered = 0, dropped = 0;
};

WindowTokens CountWindow(const QuestionPlan& plan, size_t window) {
  WindowTokens most;
  const size_t count = plan.SequencesPerWindow();
  for (size_t s = 0; s < count; ++s) {
    const TokenPlan& sequence = plan.sequences[window * count + s];
    most.offered = std::max(most.offered, sequence.state_tokens);
    most.dropped = std::max(most.dropped, sequence.state_tokens - sequence.state_kept);
  }
  return most;
}

}  // namespace

Usage CountUsage(const Request& request, const std::vector<QuestionPlan>& plans,
                 const DecideOptions& options) {
  Usage usage;
  uint32_t windows = 1;
  for (size_t q = 0; q < plans.size(); ++q) {
    for (const TokenPlan& sequence : plans[q].sequences) usage.input_tokens += sequence.ids.size();
    windows = std::max(windows, plans[q].cuts.windows);
    if (CountWindow(plans[q], plans[q].cuts.windows - 1).dropped > 0) {
      usage.truncated_questions.push_back(request.questions[q].id);
    }
  }
  for (uint32_t window = 0; window < windows; ++window) {
    WindowTokens most;
    for (const QuestionPlan& plan : plans) {
      if (window >= plan.cuts.windows) continue;
      const WindowTokens tokens = CountWindow(plan, window);
      most.offered = std::max(most.offered, tokens.offered);
      most.dropped = std::max(most.dropped, tokens.dropped);
    }
    usage.state_tokens += most.offered;
    usage.state_tokens_dropped += most.dropped;
    usage.truncated += most.dropped > 0;
  }
  if (EffectiveOverLength(request, options) == OverLength::kWindow) usage.windows = windows;
  return usage;
}

}  // namespace dikast
