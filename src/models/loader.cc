#include "models/loader.h"

#include <algorithm>

namespace dikast {
namespace {

void ExpandAll(const StoredTensor& tensor, float* out) {
  for (size_t row = 0; row < tensor.rows; ++row) ExpandRow(tensor, row, out + row * tensor.columns);
}

}  // namespace

AlignedBuffer<float> Loader::Floats(const std::string& name) const {
  const StoredTensor& tensor = weights_[name];
  AlignedBuffer<float> floats(tensor.rows * tensor.columns);
  ExpandAll(tensor, floats.data());
  return floats;
}

Dense Loader::StackedDense(std::initializer_list<std::string> names) const {
  size_t outputs = 0;
  for (const std::string& name : names) outputs += weights_[name + ".weight"].rows;
  const size_t inputs = weights_[*names.begin() + ".weight"].columns;
  AlignedBuffer<float> rows(outputs * inputs);
  Dense dense{{}, AlignedBuffer<float>(outputs)};
  size_t row = 0;
  for (const std::string& name : names) {
    const StoredTensor& part = weights_[name + ".weight"];
    ExpandAll(part, rows.data() + row * inputs);
    ExpandRow(weights_[name + ".bias"], 0, dense.bias.data() + row);
    row += part.rows;
  }
  dense.weight = ops_.pack({.storage = Storage::kF32,
                            .rows = outputs,
                            .columns = inputs,
                            .data = reinterpret_cast<const std::byte*>(rows.data())});
  return dense;
}

}  // namespace dikast
