// The ops over an ISA's kernels: shapes, packing, threads. Arguments as in Ops.
#pragma once

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/ops.h"

namespace dikast {

// [outputs, inputs] as panels [outputs / panel][inputs][panel], the last one filled up with zeros.
PackedMatrix PackPanels(const CpuKernels& kernels, const StoredTensor& weight);

void MultiplyPacked(const CpuKernels& kernels, const OpContext& context, const float* x,
                    size_t rows, const PackedMatrix& weight, const float* bias,
                    Activation activation, const float* residual, float* out);
size_t MultiplyScratch(const CpuKernels& kernels);

void AttendPacked(const CpuKernels& kernels, const OpContext& context, const float* q,
                  const float* k, const float* v, std::span<const uint32_t> offsets,
                  const AttentionShape& shape, float* out);
size_t AttendScratch(const CpuKernels& kernels, size_t max_sequence, size_t head_dim);

inline size_t RoundUp(size_t n, size_t step) { return (n + step - 1) / step * step; }

}  // namespace dikast
