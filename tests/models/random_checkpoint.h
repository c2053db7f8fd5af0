// A small checkpoint with random weights, written as a model.safetensors of its own.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/weights.h"

namespace dikast::testing {

class RandomCheckpoint {
 public:
  // Matrices are stored as `matrices` where the format allows it (affine: rows of whole groups),
  // everything else as F32. `seed` alone decides the numbers.
  RandomCheckpoint(const CheckpointConfig& config, uint32_t seed, Storage matrices);
  ~RandomCheckpoint();
  RandomCheckpoint(const RandomCheckpoint&) = delete;
  RandomCheckpoint& operator=(const RandomCheckpoint&) = delete;

  const CheckpointConfig& config() const { return config_; }
  const std::filesystem::path& file() const { return file_; }
  // The expanded numbers of a declared tensor, row by row.
  const std::vector<double>& operator[](const std::string& name) const { return values_.at(name); }

 private:
  CheckpointConfig config_;
  std::filesystem::path file_;
  std::map<std::string, std::vector<double>> values_;
};

// Two layers of every kind that fit in a blink: width 128, heads of 64, half window 64.
CheckpointConfig SmallModernBert(uint32_t head_layers);
CheckpointConfig SmallBert(uint32_t head_layers);

}  // namespace dikast::testing
