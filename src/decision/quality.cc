// Definitions: docs/evaluation.md.
#include "dikast/quality.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

namespace dikast {
namespace {

constexpr double kLeastProbability = 1e-15;
constexpr int kFloorDraws = 200;
constexpr double kWilson = 1.959963984540054;  // 97.5 % quantile of the normal distribution

// What every figure but the ordinal ones needs of a row.
struct Top {
  double confidence = 0;
  bool hit = false;
};

uint32_t BestOf(std::span<const double> p) {
  return static_cast<uint32_t>(std::max_element(p.begin(), p.end()) - p.begin());
}

std::vector<Top> TopAnswers(std::span<const Outcome> outcomes) {
  std::vector<Top> tops;
  for (const Outcome& outcome : outcomes) {
    const uint32_t best = BestOf(outcome.probabilities);
    tops.push_back({outcome.probabilities[best], best == outcome.right});
  }
  return tops;
}

size_t BinOf(double confidence) {
  const double upper = std::ceil(confidence * kReliabilityBins);
  return static_cast<size_t>(std::clamp(upper, 1.0, double{kReliabilityBins})) - 1;
}

using BinSums = std::array<double, kReliabilityBins>;

double Ece(const BinSums& confidence, const BinSums& hits, size_t rows) {
  double gaps = 0;
  for (size_t b = 0; b < kReliabilityBins; ++b) gaps += std::abs(confidence[b] - hits[b]);
  return gaps / static_cast<double>(rows);
}

// The ECE of each draw, sorted. The same for the same rows on every machine.
std::vector<double> DrawFloors(std::span<const Top> tops, const BinSums& confidence) {
  std::mt19937_64 random(0);
  std::vector<double> floors;
  for (int draw = 0; draw < kFloorDraws; ++draw) {
    BinSums hits{};
    for (const Top& top : tops) {
      const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
      if (uniform < top.confidence) hits[BinOf(top.confidence)] += 1;
    }
    floors.push_back(Ece(confidence, hits, tops.size()));
  }
  std::sort(floors.begin(), floors.end());
  return floors;
}

CalibrationError MeasureCalibration(std::span<const Top> tops) {
  CalibrationError error;
  BinSums confidence{}, hits{};
  for (const Top& top : tops) {
    const size_t bin = BinOf(top.confidence);
    ++error.bins[bin].rows;
    confidence[bin] += top.confidence;
    hits[bin] += top.hit;
  }
  for (size_t b = 0; b < kReliabilityBins; ++b) {
    if (error.bins[b].rows == 0) continue;
    error.bins[b].confidence = confidence[b] / static_cast<double>(error.bins[b].rows);
    error.bins[b].accuracy = hits[b] / static_cast<double>(error.bins[b].rows);
  }
  error.ece = Ece(confidence, hits, tops.size());
  const std::vector<double> floors = DrawFloors(tops, confidence);
  error.floor = std::accumulate(floors.begin(), floors.end(), 0.0) / kFloorDraws;
  error.floor_95 = floors[kFloorDraws * 95 / 100];
  return error;
}

std::vector<double> Risks(std::vector<Top> tops) {
  std::stable_sort(tops.begin(), tops.end(),
                   [](const Top& a, const Top& b) { return a.confidence > b.confidence; });
  std::vector<double> risks;
  double wrong = 0;
  for (const Top& top : tops) {
    wrong += !top.hit;
    risks.push_back(wrong / static_cast<double>(risks.size() + 1));
  }
  return risks;
}

SelectiveFigures MeasureSelective(const std::vector<double>& risks) {
  const size_t rows = risks.size();
  const auto accuracy_at = [&](size_t percent) {
    return 1 - risks[std::max<size_t>(rows * percent / 100, 1) - 1];
  };
  SelectiveFigures figures{.accuracy_at_80 = accuracy_at(80),
                           .accuracy_at_90 = accuracy_at(90),
                           .accuracy_at_95 = accuracy_at(95)};
  for (size_t i = 0; i < rows; ++i) {
    if (risks[i] > 0.05) continue;
    figures.coverage_at_5 = static_cast<double>(i + 1) / static_cast<double>(rows);
  }
  figures.aurc = std::accumulate(risks.begin(), risks.end(), 0.0) / static_cast<double>(rows);
  return figures;
}

// Observed against chance disagreement, each scale size on its own and then summed: levels of
// scales of different sizes have no common margins.
class Kappa {
 public:
  void Add(uint32_t predicted, uint32_t right, size_t levels) {
    Scale& scale = scales_[levels];
    scale.predicted.resize(levels);
    scale.right.resize(levels);
    scale.predicted[predicted] += 1;
    scale.right[right] += 1;
    scale.rows += 1;
    observed_ += Weight(predicted, right, levels);
  }

  std::optional<double> Value() const {
    double chance = 0;
    for (const auto& [levels, scale] : scales_) {
      for (size_t i = 0; i < levels; ++i) {
        for (size_t j = 0; j < levels; ++j) {
          chance += Weight(i, j, levels) * scale.predicted[i] * scale.right[j] / scale.rows;
        }
      }
    }
    if (chance == 0) return std::nullopt;
    return 1 - observed_ / chance;
  }

 private:
  struct Scale {
    std::vector<double> predicted, right;
    double rows = 0;
  };
  static double Weight(size_t i, size_t j, size_t levels) {
    if (levels < 2) return 0;
    const double share =
        (static_cast<double>(i) - static_cast<double>(j)) / static_cast<double>(levels - 1);
    return share * share;
  }

  std::map<size_t, Scale> scales_;
  double observed_ = 0;
};

std::optional<OrdinalFigures> MeasureOrdinal(std::span<const Outcome> outcomes) {
  OrdinalFigures figures;
  Kappa kappa;
  for (const Outcome& outcome : outcomes) {
    if (outcome.type != QuestionType::kScore) continue;
    const std::vector<double>& p = outcome.probabilities;
    double expected = 0, below = 0;
    for (size_t level = 0; level < p.size(); ++level) {
      expected += static_cast<double>(level) * p[level];
      below += p[level];
      const double gap = below - (level >= outcome.right ? 1 : 0);
      figures.rps += gap * gap;
    }
    ++figures.rows;
    figures.mae += std::abs(expected - outcome.right);
    kappa.Add(BestOf(p), outcome.right, p.size());
  }
  if (figures.rows == 0) return std::nullopt;
  figures.mae /= static_cast<double>(figures.rows);
  figures.rps /= static_cast<double>(figures.rows);
  figures.qwk = kappa.Value();
  return figures;
}

void MeasureAccuracy(std::span<const Top> tops, Figures& figures) {
  figures.right = static_cast<uint64_t>(
      std::count_if(tops.begin(), tops.end(), [](const Top& top) { return top.hit; }));
  const auto n = static_cast<double>(figures.rows);
  const double p = figures.accuracy = static_cast<double>(figures.right) / n;
  const double z2 = kWilson * kWilson / n;
  const double middle = (p + z2 / 2) / (1 + z2);
  const double half = kWilson * std::sqrt(p * (1 - p) / n + z2 / (4 * n)) / (1 + z2);
  figures.accuracy_low = std::max(0.0, middle - half);
  figures.accuracy_high = std::min(1.0, middle + half);
}

void MeasureLosses(std::span<const Outcome> outcomes, Figures& figures) {
  for (const Outcome& outcome : outcomes) {
    const double right = outcome.probabilities[outcome.right];
    figures.nll -= std::log(std::max(right, kLeastProbability));
    figures.zeros += right < kLeastProbability;
    for (size_t i = 0; i < outcome.probabilities.size(); ++i) {
      const double gap = outcome.probabilities[i] - (i == outcome.right ? 1 : 0);
      figures.brier += gap * gap;
    }
  }
  figures.nll /= static_cast<double>(figures.rows);
  figures.brier /= static_cast<double>(figures.rows);
}

}  // namespace

Figures Measure(std::span<const Outcome> outcomes) {
  Figures figures;
  figures.rows = outcomes.size();
  if (outcomes.empty()) return figures;
  const std::vector<Top> tops = TopAnswers(outcomes);
  MeasureAccuracy(tops, figures);
  MeasureLosses(outcomes, figures);
  figures.calibration = MeasureCalibration(tops);
  figures.selective = MeasureSelective(Risks(tops));
  figures.ordinal = MeasureOrdinal(outcomes);
  return figures;
}

std::vector<double> RiskByCoverage(std::span<const Outcome> outcomes) {
  return Risks(TopAnswers(outcomes));
}

OrderEffect CompareOrders(std::span<const std::vector<double>> first,
                          std::span<const std::vector<double>> second) {
  OrderEffect effect;
  effect.rows = std::min(first.size(), second.size());
  for (size_t row = 0; row < effect.rows; ++row) {
    const std::vector<double>&a = first[row], &b = second[row];
    effect.flips += BestOf(a) != BestOf(b);
    for (size_t i = 0; i < a.size(); ++i) {
      const double change = std::abs(a[i] - b[i]);
      effect.largest_change = std::max(effect.largest_change, change);
      effect.mean_distance += change / 2;
    }
  }
  if (effect.rows > 0) effect.mean_distance /= static_cast<double>(effect.rows);
  return effect;
}

}  // namespace dikast
