// The two families of confidence. protocols.md, section 2; laya-format.md, section 4.1.
#pragma once

#include <span>

#include "dikast/decision.h"

namespace dikast {

// Laya: 1 - H(p) / ln n for a choice or a score, the larger side of a noul; 1 for one option.
double EntropyConfidence(QuestionType type, std::span<const double> probabilities);

// System One, 0 for a uniform distribution and 1 for a certain one. choice: (n max p - 1) / (n -
// 1). score: max(0, 1 - sum p_i |i - mode| / U), U the same sum of a uniform distribution about the
// middle of the scale, floor(n^2 / 4) / n. A noul has none; the larger side stands in.
double SystemOneConfidence(QuestionType type, std::span<const double> probabilities);

}  // namespace dikast
