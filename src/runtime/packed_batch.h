// Sequences laid end to end for one forward pass, in buffers sized once.
#pragma once

#include <cstdint>
#include <vector>

#include "dikast/decision.h"
#include "models/decision_model.h"

namespace dikast {

class PackedBatch {
 public:
  explicit PackedBatch(const BatchLimits& limits);

  void Clear();
  // Within the limits nothing is allocated.
  void Append(const TokenPlan& sequence, QuestionType type);
  SequenceBatch View() const;

  size_t markers() const { return markers_.size(); }

 private:
  std::vector<int32_t> ids_;
  std::vector<uint32_t> offsets_, markers_, marker_offsets_;
  std::vector<uint8_t> types_;
};

}  // namespace dikast
