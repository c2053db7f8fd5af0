// Softmax attention as two panel products a block of queries: scores = Q K^T, out = softmax(scores)
// V.
//
// A task is one head of up to kChunk queries of one sequence. It packs the keys and values that
// those queries see, so memory is linear in the length, and for a local layer bounded by the chunk
// and the window. Blocks count from the start of the sequence: where it lies in the batch changes
// no bit.
#include <algorithm>

#include "kernels/cpu/drivers.h"

namespace dikast {
namespace {

constexpr size_t kChunk = 256;  // queries that share packed keys and values
constexpr size_t kBlock = 16;   // queries whose scores exist at one time

struct Range {
  size_t begin, end;
  size_t size() const { return end - begin; }
};

// The keys that the queries [begin, end) of a sequence of `length` see.
Range VisibleKeys(Range queries, size_t length, const AttentionShape& shape) {
  if (!shape.half_window) return {0, length};
  const size_t window = *shape.half_window;
  return {queries.begin > window ? queries.begin - window : 0,
          std::min(queries.end + window, length)};
}

// A thread's scratch. Scores and values are indexed from the first packed key.
struct Buffers {
  size_t score_stride, mixed_stride;
  float *keys, *values, *scores, *mixed;

  Buffers(float* scratch, size_t width, size_t key_count, size_t head_dim)
      : score_stride(RoundUp(key_count, width)),
        mixed_stride(RoundUp(head_dim, width)),
        keys(scratch),
        values(keys + score_stride * head_dim),
        scores(values + key_count * mixed_stride),
        mixed(scores + score_stride * kBlock) {}

  static size_t Floats(size_t width, size_t key_count, size_t head_dim) {
    const size_t keys = RoundUp(key_count, width), columns = RoundUp(head_dim, width);
    return keys * head_dim + key_count * columns + (keys + columns) * kBlock;
  }
};

// Rows [count, head_dim] as the panels of a matrix with `count` outputs.
void PackKeys(const float* k, size_t stride, size_t count, size_t head_dim, size_t width,
              float* panels) {
  for (size_t j = 0; j < RoundUp(count, width); ++j) {
    float* column = panels + j / width * width * head_dim + j % width;
    for (size_t d = 0; d < head_dim; ++d) column[d * width] = j < count ? k[j * stride + d] : 0;
  }
}

// Rows [count, head_dim] as the panels of a matrix with `count` inputs.
void PackValues(const float* v, size_t stride, size_t count, size_t head_dim, size_t width,
                float* panels) {
  for (size_t first = 0; first < head_dim; first += width) {
    const size_t columns = std::min(width, head_dim - first);
    for (size_t j = 0; j < count; ++j, panels += width) {
      std::copy_n(v + j * stride + first, columns, panels);
      std::fill_n(panels + columns, width - columns, 0.0f);
    }
  }
}

// One head of one sequence: pointers to its first row.
struct Head {
  const float *q, *k, *v;
  float* out;
  size_t length;
  const float* bias;  // of distance 0; null without
};

// scores = scores * scale + the bias of each key's distance.
void AddBias(float* scores, size_t count, float scale, const float* bias) {
  for (size_t j = 0; j < count; ++j) scores[j] = scores[j] * scale + bias[j];
}

void AttendBlock(const CpuKernels& kernels, const Head& head, Range queries, Range keys,
                 const AttentionShape& shape, const Buffers& buffers) {
  const size_t width = kernels.panel, dim = shape.head_dim, stride = buffers.score_stride;
  const auto packed = [&](Range r) { return Range{r.begin - keys.begin, r.end - keys.begin}; };
  const Range visible = packed(VisibleKeys(queries, head.length, shape));
  for (size_t j = visible.begin / width * width; j < visible.end; j += width) {
    kernels.multiply_panel(head.q + queries.begin * shape.stride, shape.stride, queries.size(),
                           buffers.keys + j * dim, dim, std::min(width, visible.end - j),
                           buffers.scores + j, stride);
  }
  float sums[kBlock];
  for (size_t i = 0; i < queries.size(); ++i) {
    const size_t query = queries.begin + i;
    const Range own = packed(VisibleKeys({query, query + 1}, head.length, shape));
    float* scores = buffers.scores + i * stride;
    std::fill(scores + visible.begin, scores + own.begin, 0.0f);
    float scale = shape.scale;
    if (head.bias) {
      const ptrdiff_t distance =
          static_cast<ptrdiff_t>(keys.begin + own.begin) - static_cast<ptrdiff_t>(query);
      AddBias(scores + own.begin, own.size(), scale, head.bias + distance);
      scale = 1;
    }
    sums[i] = kernels.softmax_row(scores + own.begin, own.size(), scale);
    std::fill(scores + own.end, scores + visible.end, 0.0f);
  }
  for (size_t c = 0; c < dim; c += width) {
    kernels.multiply_panel(buffers.scores + visible.begin, stride, queries.size(),
                           buffers.values + c * keys.size() + visible.begin * width, visible.size(),
                           std::min(width, dim - c), buffers.mixed + c, buffers.mixed_stride);
  }
  for (size_t i = 0; i < queries.size(); ++i) {
    kernels.scale_row(buffers.mixed + i * buffers.mixed_stride, dim, 1 / sums[i],
                      head.out + (queries.begin + i) * shape.heads * dim);
  }
}

void AttendChunk(const CpuKernels& kernels, const Head& head, Range queries,
                 const AttentionShape& shape, float* scratch) {
  const Range keys = VisibleKeys(queries, head.length, shape);
  const Buffers buffers(scratch, kernels.panel, keys.size(), shape.head_dim);
  PackKeys(head.k + keys.begin * shape.stride, shape.stride, keys.size(), shape.head_dim,
           kernels.panel, buffers.keys);
  PackValues(head.v + keys.begin * shape.stride, shape.stride, keys.size(), shape.head_dim,
             kernels.panel, buffers.values);
  for (size_t i = queries.begin; i < queries.end; i += kBlock) {
    AttendBlock(kernels, head, {i, std::min(i + kBlock, queries.end)}, keys, shape, buffers);
  }
}

size_t Chunks(std::span<const uint32_t> offsets, size_t sequence) {
  return (offsets[sequence + 1] - offsets[sequence] + kChunk - 1) / kChunk;
}

}  // namespace

size_t AttendScratch(const CpuKernels& kernels, size_t max_sequence, size_t head_dim) {
  return Buffers::Floats(kernels.panel, max_sequence, head_dim);
}

void AttendPacked(const CpuKernels& kernels, const OpContext& context, const float* q,
                  const float* k, const float* v, std::span<const uint32_t> offsets,
                  const AttentionShape& shape, float* out) {
  size_t chunks = 0;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) chunks += Chunks(offsets, s);
  context.pool.ParallelFor(chunks * shape.heads, [&](size_t task, int thread) {
    size_t chunk = task / shape.heads, sequence = 0;
    for (; chunk >= Chunks(offsets, sequence); ++sequence) chunk -= Chunks(offsets, sequence);
    const size_t column = task % shape.heads * shape.head_dim, row = offsets[sequence];
    const size_t length = offsets[sequence + 1] - row, at = row * shape.stride + column;
    const float* bias = shape.bias.OfHead(task % shape.heads);
    AttendChunk(
        kernels,
        {q + at, k + at, v + at, out + row * shape.heads * shape.head_dim + column, length, bias},
        {chunk * kChunk, std::min(chunk * kChunk + kChunk, length)}, shape,
        context.Scratch(thread));
  });
}

}  // namespace dikast
