// Logits to answers: temperature, softmax, confidences, score. laya-format.md, section 4.1.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>

#include "dikast/decision.h"

namespace dikast {

struct Temperatures {
  std::array<double, 3> by_type = {1, 1, 1};
  std::map<std::string, double, std::less<>> by_bucket;
};

// "choice:3-5" for a choice of 3 to 5 options.
std::string Bucket(QuestionType type, size_t options);

// The temperature to apply, clamped to [0.5, 5].
double TemperatureFor(const Temperatures& temperatures, QuestionType type, size_t options);

// The outputs of the sequences of one plan, in the plan's order: logits by slot, action logits.
struct SequenceOutput {
  std::span<const float> logits, actions;
};

// Errors: kModel when a number is not finite.
Result<Answer> ReadOut(const Question& question, const QuestionPlan& plan,
                       std::span<const SequenceOutput> outputs, const Temperatures& temperatures);

}  // namespace dikast
