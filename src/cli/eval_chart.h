// The pictures of an evaluation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dikast/quality.h"

namespace dikast::cli {

// Accuracy against confidence in 15 bins, and below it how many rows each bin has.
std::string ReliabilityDiagram(const Figures& figures, const std::string& title);

// Accuracy among the most confident answers against the share that is kept, one line a name.
struct CoverageLine {
  std::string name;
  std::vector<double> risks;  // RiskByCoverage, not empty
};
std::string CoverageCurve(const std::vector<CoverageLine>& lines, const std::string& title);

}  // namespace dikast::cli
