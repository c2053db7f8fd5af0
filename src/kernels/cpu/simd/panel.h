// The matrix product: rows times one packed panel, in register tiles.
//
// A tile keeps kTileRows x kTileVectors accumulators in registers: 8 x 3 of the 32 of AVX-512,
// 6 x 2 of the 16 of AVX2. Rows are read where they are, as broadcasts: at most 8 of them keep
// their pointers in registers, and fit an 8-way L1 when their stride (4 KiB) maps them to one set.
// So activations need no packing. A block of kDepth inputs of the panel (48 or 16 KiB) serves all
// rows; meanwhile each step of a tile prefetches one line of the next block, which follows in
// memory.
#pragma once

#include "kernels/cpu/simd/lanes.h"

namespace dikast {
namespace {

constexpr size_t kTileRows = kLanes == 16 ? 8 : 6;
constexpr size_t kTileVectors = kLanes == 16 ? 3 : 2;
constexpr size_t kPanel = kTileVectors * kLanes;
constexpr size_t kDepth = 256;
constexpr size_t kLine = 16;  // floats of a cache line

// out[kRows, kVectors * kLanes] = (add ? out : 0) + a * panel
template <size_t kRows, size_t kVectors>
void MultiplyTile(const float* a, size_t a_stride, const float* panel, size_t depth,
                  const float* soon, bool add, float* out, size_t out_stride) {
  Vector sums[kRows][kVectors];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(kTag);
  }
  for (size_t k = 0; k < depth; ++k, panel += kPanel) {
    __builtin_prefetch(soon + k * kLine, 0, 2);
    Vector weights[kVectors];
#pragma GCC unroll 3
    for (size_t v = 0; v < kVectors; ++v) weights[v] = hn::LoadU(kTag, panel + v * kLanes);
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const Vector x = hn::Set(kTag, a[r * a_stride + k]);
#pragma GCC unroll 3
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(x, weights[v], sums[r][v]);
    }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 3
    for (size_t v = 0; v < kVectors; ++v) {
      float* to = out + r * out_stride + v * kLanes;
      hn::StoreU(add ? hn::Add(hn::LoadU(kTag, to), sums[r][v]) : sums[r][v], kTag, to);
    }
  }
}

// The tile of a height and width that are known at run time only.
template <size_t kVectors, size_t kRows = kTileRows>
void MultiplyRows(size_t rows, const float* a, size_t a_stride, const float* panel, size_t depth,
                  const float* soon, bool add, float* out, size_t out_stride) {
  if constexpr (kRows > 1) {
    if (rows < kRows) {
      return MultiplyRows<kVectors, kRows - 1>(rows, a, a_stride, panel, depth, soon, add, out,
                                               out_stride);
    }
  }
  MultiplyTile<kRows, kVectors>(a, a_stride, panel, depth, soon, add, out, out_stride);
}

template <size_t kVectors = kTileVectors>
void MultiplyColumns(const float* a, size_t a_stride, size_t rows, const float* panel, size_t depth,
                     size_t columns, float* out, size_t out_stride) {
  if constexpr (kVectors > 1) {
    if (columns <= (kVectors - 1) * kLanes) {
      return MultiplyColumns<kVectors - 1>(a, a_stride, rows, panel, depth, columns, out,
                                           out_stride);
    }
  }
  for (size_t k = 0; k < depth; k += kDepth) {
    const size_t block = depth - k < kDepth ? depth - k : kDepth;
    for (size_t r = 0; r < rows; r += kTileRows) {
      const size_t share = r / kTileRows % (kPanel / kLine) * block * kLine;
      const float* soon = panel + (k + block) * kPanel + share;
      MultiplyRows<kVectors>(rows - r, a + r * a_stride + k, a_stride, panel + k * kPanel, block,
                             soon, k > 0, out + r * out_stride, out_stride);
    }
  }
}

}  // namespace
}  // namespace dikast
