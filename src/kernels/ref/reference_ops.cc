// The scalar oracle. Each op is its formula, summed in double and rounded to float32 once, so that
// the distance of a faster table from it is that table's own rounding error.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "kernels/ops.h"

namespace dikast {
namespace {

double Activate(Activation activation, double x) {
  constexpr double kInverseSqrt2 = 0.70710678118654752440, kSqrt2OverPi = 0.79788456080286535588;
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return std::max(x, 0.0);
    case Activation::kGeluErf:
      return 0.5 * x * (1 + std::erf(x * kInverseSqrt2));
    case Activation::kGeluTanh:
      return 0.5 * x * (1 + std::tanh(kSqrt2OverPi * (x + 0.044715 * x * x * x)));
  }
  return x;
}

double Dot(const float* a, const float* b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

PackedMatrix Pack(const StoredTensor& weight) {
  PackedMatrix packed{weight.rows, weight.columns, Isa::kScalar, {}};
  packed.panels = AlignedBuffer<float>(weight.rows * weight.columns);
  for (size_t o = 0; o < weight.rows; ++o) {
    ExpandRow(weight, o, packed.panels.data() + o * weight.columns);
  }
  return packed;
}

// The softmax weights of one query, in double.
size_t ScratchFloats(size_t max_sequence, size_t /*max_inputs*/, size_t /*head_dim*/) {
  return (max_sequence * sizeof(double) / sizeof(float) + 15) / 16 * 16;
}

void Embed(const OpContext&, const StoredTensor& table, std::span<const int32_t> ids, float* out) {
  for (size_t r = 0; r < ids.size(); ++r) {
    ExpandRow(table, static_cast<size_t>(ids[r]), out + r * table.columns);
  }
}

void LayerNorm(const OpContext&, const float* x, size_t rows, size_t columns, const float* weight,
               const float* bias, float eps, float* out) {
  for (size_t r = 0; r < rows; ++r, x += columns, out += columns) {
    double sum = 0, squares = 0;
    for (size_t c = 0; c < columns; ++c) sum += x[c];
    const double mean = sum / columns;
    for (size_t c = 0; c < columns; ++c) squares += (x[c] - mean) * (x[c] - mean);
    const double inverse = 1 / std::sqrt(squares / columns + eps);
    for (size_t c = 0; c < columns; ++c) {
      out[c] = static_cast<float>((x[c] - mean) * inverse * weight[c] + (bias ? bias[c] : 0));
    }
  }
}

void Linear(const OpContext&, const float* x, size_t rows, const PackedMatrix& weight,
            const float* bias, Activation activation, const float* residual, float* out) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t o = 0; o < weight.outputs; ++o) {
      const float* w = weight.panels.data() + o * weight.inputs;
      const double sum = Dot(x + r * weight.inputs, w, weight.inputs) + (bias ? bias[o] : 0);
      const size_t at = r * weight.outputs + o;
      out[at] = static_cast<float>(Activate(activation, sum) + (residual ? residual[at] : 0));
    }
  }
}

void RotateHead(float* head, size_t half, const float* cosine, const float* sine) {
  for (size_t i = 0; i < half; ++i) {
    const double first = head[i], second = head[i + half];
    head[i] = static_cast<float>(first * cosine[i] - second * sine[i]);
    head[i + half] = static_cast<float>(second * cosine[i] + first * sine[i]);
  }
}

void Rope(const OpContext&, float* q, float* k, size_t rows, const AttentionShape& shape,
          std::span<const uint32_t> positions, const RopeTable& table) {
  const size_t half = shape.head_dim / 2;
  for (size_t r = 0; r < rows; ++r) {
    const float* cosine = table.cosine.data() + positions[r] * half;
    const float* sine = table.sine.data() + positions[r] * half;
    for (size_t h = 0; h < shape.heads; ++h) {
      RotateHead(q + r * shape.stride + h * shape.head_dim, half, cosine, sine);
      RotateHead(k + r * shape.stride + h * shape.head_dim, half, cosine, sine);
    }
  }
}

// out[head_dim] for one query over the keys [0, count) that follow k and v; `bias` is that of the
// first key, or null.
void Attend(const float* query, const float* k, const float* v, size_t count,
            const AttentionShape& shape, const float* bias, double* weights, float* out) {
  double largest = -INFINITY, sum = 0;
  for (size_t j = 0; j < count; ++j) {
    weights[j] = shape.scale * Dot(query, k + j * shape.stride, shape.head_dim);
    if (bias) weights[j] += bias[j];
    largest = std::max(largest, weights[j]);
  }
  for (size_t j = 0; j < count; ++j) sum += weights[j] = std::exp(weights[j] - largest);
  for (size_t c = 0; c < shape.head_dim; ++c) {
    double mixed = 0;
    for (size_t j = 0; j < count; ++j) mixed += weights[j] * v[j * shape.stride + c];
    out[c] = static_cast<float>(mixed / sum);
  }
}

void Attention(const OpContext& context, const float* q, const float* k, const float* v,
               std::span<const uint32_t> offsets, const AttentionShape& shape, float* out) {
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    const size_t begin = offsets[s], end = offsets[s + 1];
    double* weights = new (context.Scratch(0)) double[end - begin];
    for (size_t i = begin; i < end; ++i) {
      const size_t window = shape.half_window.value_or(end - begin);
      const size_t first = i - begin > window ? i - window : begin;
      const size_t last = std::min(i + window, end - 1);
      for (size_t h = 0; h < shape.heads; ++h) {
        const size_t column = h * shape.head_dim;
        const float* bias = shape.bias.OfHead(h);
        if (bias) bias -= i - first;
        Attend(q + i * shape.stride + column, k + first * shape.stride + column,
               v + first * shape.stride + column, last - first + 1, shape, bias, weights,
               out + i * shape.heads * shape.head_dim + column);
      }
    }
  }
}

void Gated(const OpContext&, const float* gate, size_t rows, size_t columns, Activation activation,
           float* out) {
  for (size_t r = 0; r < rows; ++r, gate += 2 * columns, out += columns) {
    for (size_t c = 0; c < columns; ++c) {
      out[c] = static_cast<float>(Activate(activation, gate[c]) * gate[columns + c]);
    }
  }
}

void AddRow(const OpContext&, const float* x, size_t rows, size_t columns, const float* row,
            float* out) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) out[r * columns + c] = x[r * columns + c] + row[c];
  }
}

void GatherRows(const OpContext&, const float* x, std::span<const uint32_t> rows, size_t columns,
                float* out) {
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(out + i * columns, x + rows[i] * columns, columns * sizeof(float));
  }
}

}  // namespace

const Ops& ReferenceOps() {
  static constexpr Ops kOps = {.isa = Isa::kScalar,
                               .pack = Pack,
                               .scratch_floats = ScratchFloats,
                               .embed = Embed,
                               .layer_norm = LayerNorm,
                               .linear = Linear,
                               .rope = Rope,
                               .attention = Attention,
                               .gated = Gated,
                               .add_row = AddRow,
                               .gather_rows = GatherRows};
  return kOps;
}

}  // namespace dikast
