// The parts of DeclareWeights.
#pragma once

#include <vector>

#include "checkpoint/weights.h"

namespace dikast {

inline WeightSpec Matrix(std::string name, uint64_t rows, uint64_t columns) {
  return {.name = std::move(name), .rows = rows, .columns = columns};
}
inline WeightSpec Vector(std::string name, uint64_t columns) {
  return {.name = std::move(name), .columns = columns};
}

// A dense layer [outputs, inputs]: name + ".weight" and ".bias".
void AddDense(const std::string& name, uint64_t outputs, uint64_t inputs,
              std::vector<WeightSpec>& specs);
// A LayerNorm: name + ".weight" and ".bias".
void AddLayerNorm(const std::string& name, uint64_t columns, std::vector<WeightSpec>& specs);

void DeclareModernBert(const ModernBertConfig& config, std::vector<WeightSpec>& specs);
void DeclareBert(const BertConfig& config, std::vector<WeightSpec>& specs);
void DeclareDecisionHead(const LayaConfig& config, uint64_t width, std::vector<WeightSpec>& specs);

}  // namespace dikast
