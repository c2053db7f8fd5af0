#include "decision/readout.h"

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "base/try.h"
#include "decision/confidence.h"
#include "decision/python_text.h"

namespace dikast {
namespace {

tl::unexpected<Error> Broken(const Question& question, const std::string& what,
                             ErrorCode code = ErrorCode::kInternal) {
  return Fail(code, "question " + PythonRepr(question.id) + ": " + what,
              PointerAppend("/questions", question.id));
}

template <class T>
bool AllFinite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

// Expected level; rounding may not carry it off the scale.
double ExpectedLevel(std::span<const double> p) {
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += static_cast<double>(i) * p[i];
  return std::clamp(sum, 0.0, static_cast<double>(p.size() - 1));
}

// The logits of one window by option: the sequences hold some options each, and in several orders
// some of them more than once. The mean of logits is, but for a constant, the mean of the
// logarithms of the probabilities.
Result<std::vector<float>> LogitsByOption(const Question& question,
                                          std::span<const TokenPlan> sequences,
                                          std::span<const SequenceOutput> outputs) {
  std::vector<double> sums(question.options.size());
  std::vector<uint32_t> counts(question.options.size());
  for (size_t s = 0; s < sequences.size(); ++s) {
    const std::vector<uint32_t>& slots = sequences[s].options;
    if (outputs[s].logits.size() != slots.size()) {
      return Broken(question, "the model gave " + std::to_string(outputs[s].logits.size()) +
                                  " logits for " + std::to_string(slots.size()) + " options");
    }
    for (size_t i = 0; i < slots.size(); ++i) {
      sums[slots[i]] += outputs[s].logits[i];
      ++counts[slots[i]];
    }
  }
  std::vector<float> logits;
  for (size_t i = 0; i < sums.size(); ++i)
    logits.push_back(static_cast<float>(sums[i] / counts[i]));
  return logits;
}

// Of several groups, the one that holds the answer speaks for the action; of its orders the mean.
std::vector<float> ActionLogits(std::span<const TokenPlan> sequences,
                                std::span<const SequenceOutput> outputs, uint32_t best) {
  std::vector<double> sums(outputs[0].actions.size());
  double count = 0;
  for (size_t s = 0; s < sequences.size(); ++s) {
    const std::vector<uint32_t>& slots = sequences[s].options;
    if (std::find(slots.begin(), slots.end(), best) == slots.end()) continue;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += outputs[s].actions[i];
    ++count;
  }
  std::vector<float> logits;
  for (const double sum : sums) logits.push_back(static_cast<float>(sum / count));
  return logits;
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

  answer.action_logits = ActionLogits(sequences, outputs, answer.best);
  const std::span<const float> actions = answer.action_logits;
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

std::string Bucket(QuestionType type, size_t options) {
  const std::string_view size = options <= 2    ? "2"
                                : options <= 5  ? "3-5"
                                : options <= 10 ? "6-10"
                                                : "11+";
  return std::string(QuestionTypeName(type)) + ":" + std::string(size);
}

bool IsBucket(std::string_view name) {
  for (const QuestionType type :
       {QuestionType::kChoice, QuestionType::kScore, QuestionType::kNoul}) {
    for (const size_t options : {2, 5, 10, 11}) {
      if (name == Bucket(type, options)) return true;
    }
  }
  return false;
}

double UsableTemperature(double temperature) {
  if (!std::isfinite(temperature)) return 1;
  return std::clamp(temperature, kLeastTemperature, kMostTemperature);
}

double TemperatureFor(const Temperatures& temperatures, QuestionType type, size_t options) {
  const auto bucket = temperatures.by_bucket.find(Bucket(type, options));
  const double fitted = bucket != temperatures.by_bucket.end()
                            ? bucket->second
                            : temperatures.by_type[static_cast<size_t>(type)];
  return UsableTemperature(fitted);
}

Result<Answer> ReadOut(const Question& question, const QuestionPlan& plan,
                       std::span<const SequenceOutput> outputs, const Temperatures& temperatures) {
  const size_t windows = plan.cuts.windows;
  const size_t count = plan.SequencesPerWindow();
  if (plan.sequences.size() != outputs.size() || outputs.empty()) {
    return Broken(question, "the model answered " + std::to_string(outputs.size()) + " of " +
                                std::to_string(plan.sequences.size()) + " sequences");
  }
  const double temperature = TemperatureFor(temperatures, question.type, question.options.size());
  Answer best;
  for (size_t w = 0; w < windows; ++w) {
    DIKAST_TRY(Answer answer,
               ReadWindow(question, std::span(plan.sequences).subspan(w * count, count),
                          outputs.subspan(w * count, count), temperature));
    if (!plan.windows.empty()) {
      answer.window = Window{static_cast<uint32_t>(w), plan.windows[w].begin, plan.windows[w].end,
                             static_cast<uint32_t>(windows)};
    }
    if (w == 0 || WindowStrength(answer) > WindowStrength(best)) best = std::move(answer);
  }
  return best;
}

}  // namespace dikast
