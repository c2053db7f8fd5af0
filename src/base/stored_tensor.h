// Weights as a checkpoint stores them: what the loader hands to the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dikast {

enum class Storage : uint8_t {
  kF32,
  kF16,
  kBF16,
  kAffine8,  // MLX affine: w = scale * q + bias per group of 64 along a row; 4 codes a uint32
  kAffine4,  // 8 codes a uint32, first code in the low bits
};

std::string_view StorageName(Storage storage);  // "F32", "affine8", ...

// A row-major [rows, columns] matrix (a vector has one row) in a mapped file; owns nothing. The
// pointers need no alignment.
struct StoredTensor {
  Storage storage = Storage::kF32;
  size_t rows = 0, columns = 0;
  const std::byte* data = nullptr;
  // Affine only: [rows, columns / group], stored as F32, F16 or BF16.
  const std::byte* scales = nullptr;
  const std::byte* biases = nullptr;
  Storage scale_storage = Storage::kF16;
  uint32_t group = 64;
};

// Expands row `row` to `out[columns]`, exactly (affine: one float32 multiply, one add).
void ExpandRow(const StoredTensor& tensor, size_t row, float* out);

}  // namespace dikast
