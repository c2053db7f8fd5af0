#include "decision/confidence.h"

#include <algorithm>
#include <cmath>

namespace dikast {
namespace {

double PeakConfidence(std::span<const double> p) {
  const double n = static_cast<double>(p.size());
  return (n * *std::max_element(p.begin(), p.end()) - 1) / (n - 1);
}

double SpreadConfidence(std::span<const double> p) {
  const auto mode = std::max_element(p.begin(), p.end()) - p.begin();
  double spread = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    spread += p[i] * std::abs(static_cast<double>(i) - static_cast<double>(mode));
  }
  const size_t n = p.size();
  const double uniform_spread = static_cast<double>(n * n / 4) / static_cast<double>(n);
  return 1 - spread / uniform_spread;
}

}  // namespace

double EntropyConfidence(QuestionType type, std::span<const double> p) {
  if (p.size() < 2) return 1;
  if (type == QuestionType::kNoul) return std::max(p[1], 1 - p[1]);
  double entropy = 0;
  for (const double value : p) entropy -= value * std::log(std::clamp(value, 1e-12, 1.0));
  return std::clamp(1 - entropy / std::log(static_cast<double>(p.size())), 0.0, 1.0);
}

double SystemOneConfidence(QuestionType type, std::span<const double> p) {
  if (p.size() < 2) return 1;
  if (type == QuestionType::kNoul) return std::max(p[0], p[1]);
  const double raw = type == QuestionType::kChoice ? PeakConfidence(p) : SpreadConfidence(p);
  return std::clamp(raw, 0.0, 1.0);
}

}  // namespace dikast
