#include "decision/python_text.h"
#include "dikast/format.h"

namespace dikast {
namespace {

std::string OfTokens(uint32_t kept, uint32_t found) {
  return std::to_string(kept) + " of " + std::to_string(found) + " tokens";
}

std::string DescribeOptions(const Question& question, const CutReport& cuts) {
  std::string text = "options cut: ";
  constexpr size_t kMostNamed = 5;
  for (size_t i = 0; i < cuts.options.size() && i < kMostNamed; ++i) {
    const CutReport::OptionCut& cut = cuts.options[i];
    text += (i ? ", " : "") + PythonRepr(question.options[cut.option].name) + " keeps " +
            OfTokens(cut.kept, cut.tokens);
  }
  if (cuts.options.size() > kMostNamed) {
    text += " and " + std::to_string(cuts.options.size() - kMostNamed) + " more";
  }
  return text;
}

}  // namespace

std::vector<std::string> DescribeCuts(const Question& question, const QuestionPlan& plan) {
  const CutReport& cuts = plan.cuts;
  const std::string name = "question " + PythonRepr(question.id) + ": ";
  std::vector<std::string> lines;
  if (cuts.instruction_tokens_kept < cuts.instruction_tokens) {
    lines.push_back(name + "the instructions keep " +
                    OfTokens(cuts.instruction_tokens_kept, cuts.instruction_tokens));
  }
  if (!cuts.options.empty()) lines.push_back(name + DescribeOptions(question, cuts));
  if (cuts.distinct_options < question.options.size()) {
    lines.push_back(name + "the model sees only " + std::to_string(cuts.distinct_options) + " of " +
                    std::to_string(question.options.size()) + " options as different");
  }
  if (cuts.groups > 1) {
    lines.push_back(name + "answered in " + std::to_string(cuts.groups) + " groups of options");
  }
  if (cuts.windows > 1) {
    lines.push_back(name + "the state was read in " + std::to_string(cuts.windows) +
                    " windows; the strongest one answers");
  }
  if (cuts.truncated()) {
    lines.push_back(name + "the state keeps " +
                    OfTokens(cuts.state_tokens_kept, cuts.state_tokens));
  }
  return lines;
}

}  // namespace dikast
