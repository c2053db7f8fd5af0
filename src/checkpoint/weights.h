// The declared weights of a model: a table of names and shapes, bound strictly to a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/stored_tensor.h"
#include "checkpoint/config.h"
#include "checkpoint/safetensors.h"
#include "dikast/status.h"

namespace dikast {

struct WeightSpec {
  std::string name;
  uint64_t rows = 0, columns = 0;  // a vector has rows 0
  bool optional = false;           // may be absent (pooler.dense); never read
  bool matrix() const { return rows != 0; }
};

// Every tensor the file must have, and no other may be there.
std::vector<WeightSpec> DeclareWeights(const CheckpointConfig& config);

// The tensors of model.safetensors, checked against the table. The views live as long as the object.
class Weights {
 public:
  // Errors: kModel; a missing, extra, mis-shaped, mis-typed or truncated tensor is named.
  static Result<Weights> Open(const std::filesystem::path& file, const CheckpointConfig& config);

  // The tensor of a declared name; CHECKs that it was declared and present.
  const StoredTensor& operator[](std::string_view name) const;
  const std::map<std::string, StoredTensor, std::less<>>& all() const { return tensors_; }
  uint64_t file_bytes() const { return file_.file_bytes(); }

 private:
  Weights(SafeTensors file, std::map<std::string, StoredTensor, std::less<>> tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {}
  SafeTensors file_;
  std::map<std::string, StoredTensor, std::less<>> tensors_;
};

}  // namespace dikast
