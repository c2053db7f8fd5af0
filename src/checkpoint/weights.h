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
  bool optional = false;  // all optional tensors are there or none (pooler.dense); never read
  bool matrix() const { return rows != 0; }
};

// Every tensor the file must have, and no other may be there. One file a part:
// modernbert_weights.cc, bert_weights.cc, decision_head_weights.cc.
std::vector<WeightSpec> DeclareWeights(const CheckpointConfig& config);

using StoredTensorMap = std::map<std::string, StoredTensor, std::less<>>;

// Binds the tensors of a file to their declarations. A matrix `X.weight` with `X.scales` and
// `X.biases` beside it is MLX affine of `quantized_bits`. Errors: kModel; a missing, extra,
// mis-shaped or mis-typed tensor is named. `file` stands for the file in errors.
Result<StoredTensorMap> BindWeights(const TensorMap& tensors, const std::vector<WeightSpec>& specs,
                                    std::optional<uint32_t> quantized_bits,
                                    const std::string& file);

// The tensors of model.safetensors, checked against the table. The views live as long as the
// object.
class Weights {
 public:
  // Errors: kModel; those of SafeTensors::Open and BindWeights.
  static Result<Weights> Open(const std::filesystem::path& file, const CheckpointConfig& config);

  // The tensor of a declared name; CHECKs that it was declared and present.
  const StoredTensor& operator[](std::string_view name) const;
  const StoredTensorMap& all() const { return tensors_; }
  uint64_t file_bytes() const { return file_.file_bytes(); }

 private:
  Weights(SafeTensors file, StoredTensorMap tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {}
  SafeTensors file_;
  StoredTensorMap tensors_;
};

}  // namespace dikast
