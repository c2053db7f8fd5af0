#include <algorithm>

#include "base/check.h"
#include "kernels/cpu/drivers.h"

namespace dikast {
namespace {

// Rows of one task: with 1,024 inputs 512 KiB of activations, which stay in L2 while the panels
// pass.
constexpr size_t kRowBlock = 128;

}  // namespace

PackedMatrix PackPanels(const CpuKernels& kernels, const StoredTensor& weight) {
  const size_t width = kernels.panel, inputs = weight.columns;
  PackedMatrix packed{weight.rows, inputs, kernels.isa, {}};
  const size_t whole = weight.rows / width * width * inputs;
  packed.panels = AlignedBuffer<float>(RoundUp(weight.rows, width) * inputs);
  std::fill_n(packed.panels.data() + whole, packed.panels.size() - whole, 0.0f);
  AlignedBuffer<float> row(inputs);
  for (size_t o = 0; o < weight.rows; ++o) {
    ExpandRow(weight, o, row.data());
    float* column = packed.panels.data() + o / width * width * inputs + o % width;
    for (size_t k = 0; k < inputs; ++k) column[k * width] = row[k];
  }
  return packed;
}

size_t MultiplyScratch(const CpuKernels& kernels) { return kRowBlock * kernels.panel; }

void MultiplyPacked(const CpuKernels& kernels, const OpContext& context, const float* x,
                    size_t rows, const PackedMatrix& weight, const float* bias,
                    Activation activation, const float* residual, float* out) {
  DIKAST_CHECK(weight.isa == kernels.isa);
  const size_t width = kernels.panel, inputs = weight.inputs, outputs = weight.outputs;
  const size_t panels = (outputs + width - 1) / width;
  const size_t row_blocks = (rows + kRowBlock - 1) / kRowBlock;
  context.pool.ParallelFor(row_blocks * panels, [&](size_t task, int thread) {
    const size_t first_row = task / panels * kRowBlock, panel = task % panels;
    const size_t count = std::min(kRowBlock, rows - first_row);
    const size_t first = panel * width, columns = std::min(width, outputs - first);
    float* sums = context.Scratch(thread);
    kernels.multiply_panel(x + first_row * inputs, inputs, count,
                           weight.panels.data() + first * inputs, inputs, columns, sums, width);
    for (size_t r = 0; r < count; ++r) {
      const size_t at = (first_row + r) * outputs + first;
      kernels.finish_row(sums + r * width, columns, bias ? bias + first : nullptr, activation,
                         residual ? residual + at : nullptr, out + at);
    }
  });
}

}  // namespace dikast
