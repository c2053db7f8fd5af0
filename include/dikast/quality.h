// How good answers are, over rows whose right answer is known, and temperatures that make their
// probabilities honest. Pure functions of numbers, safe to call from any thread. A row has at least
// one probability or logit, and its `right` is less than their number; this is not checked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/decision.h"

namespace dikast {

// One answered row. The first largest probability is its answer and its confidence.
struct Outcome {
  QuestionType type = QuestionType::kChoice;
  std::vector<double> probabilities;  // by option as listed
  uint32_t right = 0;                 // the right option
};

// Rows whose confidence lies in one of 15 equal parts (low, high] of 0 to 1.
struct ReliabilityBin {
  uint64_t rows = 0;
  double confidence = 0, accuracy = 0;  // means
};
inline constexpr size_t kReliabilityBins = 15;

// Expected calibration error of the top answer: the mean over rows of |accuracy - confidence| of
// their bins. Few rows show some even when every probability is honest: `floor` is that, the mean
// of 200 draws of right and wrong with the predicted probabilities, `floor_95` their 95 % quantile.
struct CalibrationError {
  std::array<ReliabilityBin, kReliabilityBins> bins;
  double ece = 0, floor = 0, floor_95 = 0;
};

// Answers kept from the most confident down; equal ones in the order of the rows.
struct SelectiveFigures {
  double accuracy_at_80 = 0, accuracy_at_90 = 0, accuracy_at_95 = 0;  // % of the rows kept
  double coverage_at_5 = 0;  // largest share kept with at most 5 % wrong among them
  double aurc = 0;           // share of wrong answers among those kept, mean over all coverages
};

// Of score rows, in levels.
struct OrdinalFigures {
  uint64_t rows = 0;
  double mae = 0;             // |expected score - right level|
  double rps = 0;             // sum over levels of (CDF of the answer - CDF of the right level)^2
  std::optional<double> qwk;  // quadratic weighted kappa of the most likely level; none when every
                              // row has one level
};

struct Figures {
  uint64_t rows = 0, right = 0;
  double accuracy = 0, accuracy_low = 0, accuracy_high = 0;  // Wilson interval, 95 %
  double nll = 0;      // -ln max(p of the right option, 1e-15)
  uint64_t zeros = 0;  // rows in which that floor took hold
  double brier = 0;    // sum over options of (p - right)^2: 0 to 2, for a noul twice (p - right)^2
  CalibrationError calibration;
  SelectiveFigures selective;
  std::optional<OrdinalFigures> ordinal;  // when there are score rows
};

// All zero without rows.
Figures Measure(std::span<const Outcome> outcomes);

// [i]: the share of wrong answers among the i + 1 most confident.
std::vector<double> RiskByCoverage(std::span<const Outcome> outcomes);

// The same questions asked with their options in two orders.
struct OrderEffect {
  uint64_t rows = 0, flips = 0;  // flips: another first choice
  double largest_change = 0;     // of any probability
  double mean_distance = 0;      // total variation, 0 to 1
};

// Probabilities of each row by option as listed, in both: as many rows, of as many options.
OrderEffect CompareOrders(std::span<const std::vector<double>> first,
                          std::span<const std::vector<double>> second);

// A row before its temperature.
struct LogitRow {
  QuestionType type = QuestionType::kChoice;
  std::vector<float> logits;  // by option as listed
  uint32_t right = 0;
};

std::vector<Outcome> AtTemperatures(std::span<const LogitRow> rows,
                                    const Temperatures& temperatures);

// By least NLL inside [0.5, 5]: for each type with 50 rows or more one temperature, and for each of
// its buckets with 100 or more another. A type with fewer keeps all that `present` has for it,
// as it is applied: clamped to [0.5, 5].
Temperatures FitTemperatures(std::span<const LogitRow> rows, const Temperatures& present);

// The text of a calibration.json. `record` is a JSON object that says how it came about.
std::string FormatCalibration(const Temperatures& temperatures, std::string_view model_sha256,
                              std::string_view record);

}  // namespace dikast
