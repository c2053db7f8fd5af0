#include "models/decision_head.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dikast {
namespace {

// The rows that the scorer and the action head read: the first of every sequence, then all markers.
std::span<const uint32_t> SelectRows(const Pass& pass) {
  const SequenceBatch& batch = pass.batch;
  uint32_t* selected = pass.buffers.selected.data();
  std::copy_n(batch.offsets.begin(), pass.sequences(), selected);
  std::copy(batch.markers.begin(), batch.markers.end(), selected + pass.sequences());
  return {selected, pass.sequences() + batch.markers.size()};
}

}  // namespace

void LogitStatistics(std::span<const float> logits, float* statistics) {
  const double options = std::max<double>(2, static_cast<double>(logits.size()));
  double sum = 0, first = 0, second = 0, entropy = 0;
  const double largest =
      logits.empty() ? 0 : static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  for (const float z : logits) sum += std::exp(z - largest);
  for (const float z : logits) {
    const double p = std::exp(z - largest) / sum;
    entropy -= p * std::log(std::max(p, 1e-9));
    second = std::max(second, std::min(first, p));
    first = std::max(first, p);
  }
  statistics[0] = static_cast<float>(first);
  statistics[1] = static_cast<float>(first - second);
  statistics[2] = static_cast<float>(entropy / std::log(options));
  statistics[3] = static_cast<float>(options / 255);
}

void Forward(const DecisionHead& head, Pass& pass, std::span<float> logits,
             std::span<float> actions) {
  const SequenceBatch& batch = pass.batch;
  const size_t width = head.width, sequences = pass.sequences(), markers = batch.markers.size();
  const std::span<const uint32_t> selected = SelectRows(pass);
  size_t rows = pass.tokens();
  float* h = pass.buffers.hidden.data();
  float* normed = pass.buffers.normed.data();
  float* wide = pass.buffers.wide.data();
  float* mixed = pass.buffers.mixed.data();

  // h = encoder output + type[question type], on every token
  for (size_t s = 0; s < sequences; ++s) {
    float* sequence = h + batch.offsets[s] * width;
    pass.ops.add_row(pass.context, sequence, batch.offsets[s + 1] - batch.offsets[s], width,
                     head.types.data() + batch.types[s] * width, sequence);
  }

  // Past the last attention every row stands alone, and only the selected ones are read.
  const auto keep_selected = [&](const float* from, float* to) {
    rows = selected.size();
    pass.ops.gather_rows(pass.context, from, selected, width, to);
  };

  for (const HeadLayer& layer : head.layers) {
    // h += Wo Attn(LN(h))
    pass.LayerNorm(layer.attention_norm, h, rows, normed);
    pass.Linear(layer.query_key_value, normed, rows, Activation::kNone, nullptr, wide);
    pass.Attend(head.attention, width, wide, mixed);
    const float* attended = mixed;
    if (&layer == &head.layers.back()) {
      keep_selected(h, normed);
      std::swap(h, normed);
      keep_selected(mixed, normed);
      attended = normed;
    }
    pass.Linear(layer.attention_output, attended, rows, Activation::kNone, h, h);

    // h += W2 relu(W1 LN(h) + b1) + b2
    pass.LayerNorm(layer.feed_forward_norm, h, rows, normed);
    pass.Linear(layer.feed_forward_input, normed, rows, Activation::kRelu, nullptr, wide);
    pass.Linear(layer.feed_forward_output, wide, rows, Activation::kNone, h, h);
  }
  if (head.layers.empty()) {
    keep_selected(h, normed);
    std::swap(h, normed);
  }

  // z = w3 gelu(W1 LN(m) + b1) + b3 of every marker row m
  const float* marker_rows = h + sequences * width;
  pass.LayerNorm(head.scorer_norm, marker_rows, markers, normed);
  pass.Linear(head.scorer_input, normed, markers, Activation::kGeluErf, nullptr, wide);
  pass.Linear(head.scorer_output, wide, markers, Activation::kNone, nullptr, logits.data());

  // actions = W2 gelu(W0 [h_CLS, statistics of the raw logits] + b0) + b2
  const size_t columns = width + kStatistics;
  for (size_t s = 0; s < sequences; ++s) {
    float* input = wide + s * columns;
    std::copy_n(h + s * width, width, input);
    LogitStatistics(logits.subspan(batch.marker_offsets[s],
                                   batch.marker_offsets[s + 1] - batch.marker_offsets[s]),
                    input + width);
  }
  pass.Linear(head.action_input, wide, sequences, Activation::kGeluErf, nullptr, mixed);
  pass.Linear(head.action_output, mixed, sequences, Activation::kNone, nullptr, actions.data());
}

}  // namespace dikast
