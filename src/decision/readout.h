// Logits to answers: temperature, softmax, confidences, score. laya-format.md, section 4.1.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dikast/decision.h"

namespace dikast {

inline constexpr double kLeastTemperature = 0.5, kMostTemperature = 5.0;

std::vector<double> Softmax(std::span<const float> logits, double temperature);

// "choice:3-5" for a choice of 3 to 5 options.
std::string Bucket(QuestionType type, size_t options);
// Whether some question has this bucket.
bool IsBucket(std::string_view name);

// Clamped to [0.5, 5]; and the one to apply to a question, clamped too.
double UsableTemperature(double temperature);
double TemperatureFor(const Temperatures& temperatures, QuestionType type, size_t options);

// The outputs of the sequences of one plan, in the plan's order: logits by slot, action logits.
struct SequenceOutput {
  std::span<const float> logits, actions;
};

// Errors: kModel when a number is not finite.
Result<Answer> ReadOut(const Question& question, const QuestionPlan& plan,
                       std::span<const SequenceOutput> outputs, const Temperatures& temperatures);

}  // namespace dikast
