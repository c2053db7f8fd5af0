#include "decision/readout.h"

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "base/try.h"
#include "decision/confidence.h"
#include "decision/python_text.h"

namespace dikast {
namespace {

constexpr double kLeastTemperature = 0.5, kMostTemperature = 5.0;

tl::unexpected<Error> Broken(const Question& question, const std::string& what,
                             ErrorCode code = ErrorCode::kInternal) {
  return Fail(code, "question " + PythonRepr(question.id) + ": " + what,
              PointerAppend("/questions", question.id));
}

template <class T>
bool AllFinite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

std::vector<double> Softmax(std::span<const float> logits, double temperature) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  std::vector<double> p(logits.size());
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    sum += p[i] = std::exp((static_cast<double>(logits[i]) - largest) / temperature);
  }
  for (double& value : p) value /= sum;
  return p;
}

// Expected level; rounding may not carry it off the scale.
double ExpectedLevel(std::span<const double> p) {
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += static_cast<double>(i) * p[i];
  return std::clamp(sum, 0.0, static_cast<double>(p.size() - 1));
}

// The logits of one window by option: each group's sequence holds some of them.
Result<std::vector<float>> LogitsByOption(const Question& question,
                                          std::span<const TokenPlan> sequences,
                                          std::span<const SequenceOutput> outputs) {
  std::vector<float> logits(question.options.size());
  for (size_t g = 0; g < sequences.size(); ++g) {
    const std::vector<uint32_t>& slots = sequences[g].options;
    if (outputs[g].logits.size() != slots.size()) {
      return Broken(question, "the model gave " + std::to_string(outputs[g].logits.size()) +
                                  " logits for " + std::to_string(slots.size()) + " options");
    }
    for (size_t s = 0; s < slots.size(); ++s) logits[slots[s]] = outputs[g].logits[s];
  }
  return logits;
}

size_t GroupOf(std::span<const TokenPlan> sequences, uint32_t option) {
  for (size_t g = 0; g < sequences.size(); ++g) {
    const std::vector<uint32_t>& slots = sequences[g].options;
    if (std::find(slots.begin(), slots.end(), option) != slots.end()) return g;
  }
  return 0;
}

Result<Answer> ReadWindow(const Question& question, std::span<const TokenPlan> sequences,
                          std::span<const SequenceOutput> outputs, double temperature) {
  Answer answer;
  answer.type = question.type;
  answer.temperature = temperature;
  DIKAST_TRY(answer.logits, LogitsByOption(question, sequences, outputs));
  answer.probabilities = Softmax(answer.logits, temperature);
  const std::span<const double> p = answer.probabilities;
  answer.best = static_cast<uint32_t>(std::max_element(p.begin(), p.end()) - p.begin());
  if (question.type == QuestionType::kScore) answer.score = ExpectedLevel(p);
  if (question.type == QuestionType::kNoul) answer.score = p[1];
  answer.entropy_confidence = EntropyConfidence(question.type, p);
  answer.confidence = SystemOneConfidence(question.type, p);

  // Of several groups, the one that holds the answer speaks for the action.
  const std::span<const float> actions = outputs[GroupOf(sequences, answer.best)].actions;
  answer.action_logits.assign(actions.begin(), actions.end());
  if (!actions.empty()) answer.act_probability = Softmax(actions, 1.0)[0];
  if (!AllFinite<float>(answer.logits) || !AllFinite<float>(actions) || !AllFinite<double>(p)) {
    return Broken(question,
                  "the model gave a number that is not finite; its weights are damaged, fetch them "
                  "again",
                  ErrorCode::kModel);
  }
  return answer;
}

// What windows compete by: P(true), else the largest probability. Rounded as the reference
// publishes them, since it compares what it published: windows that differ by less are a tie, the
// first wins.
double WindowStrength(const Answer& answer) {
  const bool noul = answer.type == QuestionType::kNoul;
  return RoundTo4(noul ? answer.score : answer.probabilities[answer.best]);
}

}  // namespace

std::string Bucket(QuestionType type, size_t options) {
  const std::string_view size = options <= 2    ? "2"
                                : options <= 5  ? "3-5"
                                : options <= 10 ? "6-10"
                                                : "11+";
  return std::string(QuestionTypeName(type)) + ":" + std::string(size);
}

double TemperatureFor(const Temperatures& temperatures, QuestionType type, size_t options) {
  const auto bucket = temperatures.by_bucket.find(Bucket(type, options));
  const double fitted = bucket != temperatures.by_bucket.end()
                            ? bucket->second
                            : temperatures.by_type[static_cast<size_t>(type)];
  if (!std::isfinite(fitted)) return 1;
  return std::clamp(fitted, kLeastTemperature, kMostTemperature);
}

Result<Answer> ReadOut(const Question& question, const QuestionPlan& plan,
                       std::span<const SequenceOutput> outputs, const Temperatures& temperatures) {
  const size_t groups = plan.cuts.groups;
  const size_t windows = plan.cuts.windows;
  if (outputs.size() != groups * windows || plan.sequences.size() != outputs.size()) {
    return Broken(question, "the model answered " + std::to_string(outputs.size()) + " of " +
                                std::to_string(plan.sequences.size()) + " sequences");
  }
  const double temperature = TemperatureFor(temperatures, question.type, question.options.size());
  Answer best;
  for (size_t w = 0; w < windows; ++w) {
    DIKAST_TRY(Answer answer,
               ReadWindow(question, std::span(plan.sequences).subspan(w * groups, groups),
                          outputs.subspan(w * groups, groups), temperature));
    if (!plan.windows.empty()) {
      answer.window = Window{static_cast<uint32_t>(w), plan.windows[w].begin, plan.windows[w].end,
                             static_cast<uint32_t>(windows)};
    }
    if (w == 0 || WindowStrength(answer) > WindowStrength(best)) best = std::move(answer);
  }
  return best;
}

}  // namespace dikast
