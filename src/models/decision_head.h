// The decision head over an encoder's output. laya-format.md, section 4.
#pragma once

#include <span>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/weights.h"
#include "models/pass.h"

namespace dikast {

struct HeadLayer {
  Norm attention_norm;
  Dense query_key_value;  // [3 width, width]
  Dense attention_output;
  Norm feed_forward_norm;
  Dense feed_forward_input;  // [4 width, width]
  Dense feed_forward_output;
};

struct DecisionHead {
  size_t width = 0;
  AttentionKind attention;
  AlignedBuffer<float> types;  // [3, width], by QuestionType
  std::vector<HeadLayer> layers;
  Norm scorer_norm;
  Dense scorer_input, scorer_output;  // [width, width], [1, width]
  Dense action_input, action_output;  // [256, width + 4], [actions, 256]
};

// What the action head learns about a question's raw logits: p1, p1 - p2, the normalised entropy
// and k / 255.
void LogitStatistics(std::span<const float> logits, float* statistics);

// May throw std::bad_alloc.
DecisionHead LoadDecisionHead(const CheckpointConfig& config, const Weights& weights,
                              const Ops& ops, ThreadPool& pool);

// Reads pass.buffers.hidden and changes it. logits: one a marker; actions: [sequences, actions].
void Forward(const DecisionHead& head, Pass& pass, std::span<float> logits,
             std::span<float> actions);

}  // namespace dikast
