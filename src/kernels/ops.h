// The op list: everything a forward pass computes, as one table of functions per device and ISA.
//
// Activations are packed, row-major float32 [rows, columns], one row per real token, no padding.
// Every output element is reduced in an order that depends on the shapes of its own row only, never
// on the number of rows, the other sequences or the number of threads: the same input row gives the
// same bits in any batch. Ops allocate nothing; scratch comes from OpContext.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/aligned_buffer.h"
#include "base/stored_tensor.h"
#include "base/thread_pool.h"

namespace dikast {

enum class Isa : uint8_t { kScalar, kAvx2, kAvx512 };

enum class Activation : uint8_t {
  kNone,
  kRelu,
  kGeluErf,   // x Phi(x), Phi from erf
  kGeluTanh,  // the tanh form ("gelu_new")
};

// A weight matrix [outputs, inputs] in the layout of one Ops table. Made by Ops::pack at load.
struct PackedMatrix {
  size_t outputs = 0, inputs = 0;
  Isa isa = Isa::kScalar;
  AlignedBuffer<float> panels;  // fp32 layouts; int8 and bf16 tables will add theirs beside it
};

// Shared by the ops of one model instance; one forward at a time.
struct OpContext {
  ThreadPool& pool;
  // Per thread, for ops that need it (attention scores, packed rows): scratch_floats each.
  std::span<float> scratch;
  size_t scratch_floats = 0;  // a thread's share

  float* Scratch(int thread) const { return scratch.data() + scratch_floats * thread; }
};

// What the distance of a key adds to its scaled score, before the softmax: for query i, key j and
// head h, table[h * (2 * reach + 1) + reach + j - i].
struct DistanceBias {
  const float* table = nullptr;  // null: nothing is added
  size_t reach = 0;              // no sequence is longer than reach + 1

  // Where j = i of head h; null without a table.
  const float* OfHead(size_t h) const {
    return table ? table + h * (2 * reach + 1) + reach : nullptr;
  }
};

// Query, key and value rows inside one fused projection: element (row, head, i) of q stands at
// q[row * stride + head * head_dim + i]; k and v likewise.
struct AttentionShape {
  size_t heads = 0, head_dim = 0, stride = 0;
  float scale = 1;
  std::optional<uint32_t> half_window =
      {};  // key j is visible to query i iff |i - j| <= half_window
  DistanceBias bias = {};
};

// Rotation tables [positions, head_dim / 2], half-split pairs (i, i + head_dim / 2).
struct RopeTable {
  std::span<const float> cosine, sine;
};

struct Ops {
  Isa isa = Isa::kScalar;

  // Expands `weight` ([outputs, inputs]) into this table's layout. May throw std::bad_alloc.
  PackedMatrix (*pack)(const StoredTensor& weight);

  // Floats of per-thread scratch (OpContext::scratch_floats) that the ops need up to these limits:
  // the longest sequence, the widest linear input and the head width. Rounded to 64 bytes.
  size_t (*scratch_floats)(size_t max_sequence, size_t max_inputs, size_t head_dim);

  // out[r] = table[ids[r]], expanded. ids are valid row numbers.
  void (*embed)(const OpContext&, const StoredTensor& table, std::span<const int32_t> ids,
                float* out);

  // out = (x - mean) / sqrt(variance + eps) * weight + bias; bias may be null; in place allowed.
  void (*layer_norm)(const OpContext&, const float* x, size_t rows, size_t columns,
                     const float* weight, const float* bias, float eps, float* out);

  // out[r, o] = activation(sum_i x[r, i] w[o, i] + bias[o]) (+ residual[r, o]). bias and residual
  // may be null; residual may be out itself.
  void (*linear)(const OpContext&, const float* x, size_t rows, const PackedMatrix& weight,
                 const float* bias, Activation activation, const float* residual, float* out);

  // Rotates q and k in place; positions[r] indexes the table.
  void (*rope)(const OpContext&, float* q, float* k, size_t rows, const AttentionShape& shape,
               std::span<const uint32_t> positions, const RopeTable& table);

  // Bidirectional softmax attention inside each sequence [offsets[s], offsets[s + 1]).
  // out is [rows, heads * head_dim].
  void (*attention)(const OpContext&, const float* q, const float* k, const float* v,
                    std::span<const uint32_t> offsets, const AttentionShape& shape, float* out);

  // gate is [rows, 2 * columns] as [u | g]; out = activation(u) * g.
  void (*gated)(const OpContext&, const float* gate, size_t rows, size_t columns,
                Activation activation, float* out);

  // out[r, c] = x[r, c] + row[c]; in place allowed.
  void (*add_row)(const OpContext&, const float* x, size_t rows, size_t columns, const float* row,
                  float* out);

  // out[i] = x[rows[i]].
  void (*gather_rows)(const OpContext&, const float* x, std::span<const uint32_t> rows,
                      size_t columns, float* out);
};

// The scalar oracle: plain loops, the definition that every other table is measured against.
const Ops& ReferenceOps();

// The table of one ISA, or null when this build or this machine lacks it.
const Ops* FindOps(Isa isa);

// Best first.
std::span<const Isa> AvailableIsaList();
std::string_view IsaName(Isa isa);  // "scalar", "avx2", "avx512"
std::optional<Isa> IsaFromName(std::string_view name);

// Null unless the program was linked with kernels/cuda.
const Ops* CudaOps();

}  // namespace dikast
