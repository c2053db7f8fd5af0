#include "kernels/cpu/cpu_ops.h"

#include <algorithm>

#include "kernels/cpu/drivers.h"

namespace dikast {
namespace {

// Calls body(r) for every row, in blocks that are worth waking a thread for.
template <class Body>
void ForEachRow(const OpContext& context, size_t rows, const Body& body) {
  constexpr size_t kBlock = 16;
  context.pool.ParallelFor((rows + kBlock - 1) / kBlock, [&](size_t block, int) {
    const size_t end = std::min(rows, (block + 1) * kBlock);
    for (size_t r = block * kBlock; r < end; ++r) body(r);
  });
}

template <const CpuKernels& kKernels>
struct Table {
  static PackedMatrix Pack(const StoredTensor& weight) { return PackPanels(kKernels, weight); }

  static size_t ScratchFloats(size_t max_sequence, size_t /*max_inputs*/, size_t head_dim) {
    return RoundUp(
        std::max(MultiplyScratch(kKernels), AttendScratch(kKernels, max_sequence, head_dim)), 16);
  }

  static void LayerNorm(const OpContext& context, const float* x, size_t rows, size_t columns,
                        const float* weight, const float* bias, float eps, float* out) {
    ForEachRow(context, rows, [&](size_t r) {
      kKernels.layer_norm_row(x + r * columns, columns, weight, bias, eps, out + r * columns);
    });
  }

  static void Linear(const OpContext& context, const float* x, size_t rows,
                     const PackedMatrix& weight, const float* bias, Activation activation,
                     const float* residual, float* out) {
    MultiplyPacked(kKernels, context, x, rows, weight, bias, activation, residual, out);
  }

  static void Rope(const OpContext& context, float* q, float* k, size_t rows,
                   const AttentionShape& shape, std::span<const uint32_t> positions,
                   const RopeTable& table) {
    const size_t half = shape.head_dim / 2;
    ForEachRow(context, rows, [&](size_t r) {
      const float* cosine = table.cosine.data() + positions[r] * half;
      const float* sine = table.sine.data() + positions[r] * half;
      kKernels.rotate_row(q + r * shape.stride, shape.heads, half, cosine, sine);
      kKernels.rotate_row(k + r * shape.stride, shape.heads, half, cosine, sine);
    });
  }

  static void Attention(const OpContext& context, const float* q, const float* k, const float* v,
                        std::span<const uint32_t> offsets, const AttentionShape& shape,
                        float* out) {
    AttendPacked(kKernels, context, q, k, v, offsets, shape, out);
  }

  static void Gated(const OpContext& context, const float* gate, size_t rows, size_t columns,
                    Activation activation, float* out) {
    ForEachRow(context, rows, [&](size_t r) {
      const float* u = gate + r * 2 * columns;
      kKernels.gated_row(u, u + columns, columns, activation, out + r * columns);
    });
  }
};

// Ops that only move rows are those of the reference.
template <const CpuKernels& kKernels>
const Ops& MakeOps(Isa isa) {
  using T = Table<kKernels>;
  static const Ops ops = {.isa = isa,
                          .pack = T::Pack,
                          .scratch_floats = T::ScratchFloats,
                          .embed = ReferenceOps().embed,
                          .layer_norm = T::LayerNorm,
                          .linear = T::Linear,
                          .rope = T::Rope,
                          .attention = T::Attention,
                          .gated = T::Gated,
                          .add_row = ReferenceOps().add_row,
                          .gather_rows = ReferenceOps().gather_rows};
  return ops;
}

}  // namespace

const Ops& Avx2Ops() { return MakeOps<kAvx2Kernels>(Isa::kAvx2); }
const Ops& Avx512Ops() { return MakeOps<kAvx512Kernels>(Isa::kAvx512); }

}  // namespace dikast
