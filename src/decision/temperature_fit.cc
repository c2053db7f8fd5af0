#include <algorithm>
#include <cmath>
#include <map>

#include "decision/readout.h"
#include "dikast/quality.h"

namespace dikast {
namespace {

constexpr size_t kLeastRowsOfType = 50, kLeastRowsOfBucket = 100;

using Rows = std::vector<const LogitRow*>;

double Nll(const Rows& rows, double temperature) {
  double sum = 0;
  for (const LogitRow* row : rows) {
    const double right = row->logits[row->right];
    double others = 0;
    for (const float logit : row->logits) others += std::exp((logit - right) / temperature);
    sum += std::isfinite(others) ? std::log(others) : 745;  // exp(-745) is the least double
  }
  return sum;
}

// NLL is convex in 1 / T: golden section. Four decimals are finer than any data can tell.
double BestTemperature(const Rows& rows) {
  constexpr double kGolden = 0.6180339887498949;
  double low = 1 / kMostTemperature, high = 1 / kLeastTemperature;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = Nll(rows, 1 / left), at_right = Nll(rows, 1 / right);
  while (high - low > 1e-6) {
    if (at_left <= at_right) {
      high = right, right = left, at_right = at_left;
      at_left = Nll(rows, 1 / (left = high - kGolden * (high - low)));
    } else {
      low = left, left = right, at_left = at_right;
      at_right = Nll(rows, 1 / (right = low + kGolden * (high - low)));
    }
  }
  return std::round(2e4 / (low + high)) / 1e4;
}

bool HasBucketOf(const std::string& bucket, QuestionType type) {
  return bucket.starts_with(std::string(QuestionTypeName(type)) + ":");
}

}  // namespace

std::vector<Outcome> AtTemperatures(std::span<const LogitRow> rows,
                                    const Temperatures& temperatures) {
  std::vector<Outcome> outcomes;
  for (const LogitRow& row : rows) {
    const double temperature = TemperatureFor(temperatures, row.type, row.logits.size());
    outcomes.push_back({row.type, Softmax(row.logits, temperature), row.right});
  }
  return outcomes;
}

Temperatures FitTemperatures(std::span<const LogitRow> rows, const Temperatures& present) {
  std::array<Rows, 3> by_type;
  std::map<std::string, Rows> by_bucket;
  for (const LogitRow& row : rows) {
    by_type[static_cast<size_t>(row.type)].push_back(&row);
    by_bucket[Bucket(row.type, row.logits.size())].push_back(&row);
  }
  // What is kept is kept as it is applied.
  Temperatures fitted;
  std::transform(present.by_type.begin(), present.by_type.end(), fitted.by_type.begin(),
                 UsableTemperature);
  for (const auto& [bucket, temperature] : present.by_bucket) {
    if (IsBucket(bucket)) fitted.by_bucket[bucket] = UsableTemperature(temperature);
  }
  for (const QuestionType type :
       {QuestionType::kChoice, QuestionType::kScore, QuestionType::kNoul}) {
    const Rows& of_type = by_type[static_cast<size_t>(type)];
    if (of_type.size() < kLeastRowsOfType) continue;
    fitted.by_type[static_cast<size_t>(type)] = BestTemperature(of_type);
    std::erase_if(fitted.by_bucket,
                  [&](const auto& entry) { return HasBucketOf(entry.first, type); });
    for (const auto& [bucket, of_bucket] : by_bucket) {
      if (!HasBucketOf(bucket, type) || of_bucket.size() < kLeastRowsOfBucket) continue;
      fitted.by_bucket[bucket] = BestTemperature(of_bucket);
    }
  }
  return fitted;
}

}  // namespace dikast
