// Overlapping windows of a state that is longer than the room beside its questions.
// laya-format.md, section 5.2 (predict_long).
#pragma once

#include <vector>

#include "decision/head.h"

namespace dikast {

// The windows of one size over one state, each as the ids that are fed.
struct WindowedState {
  uint32_t size = 0;
  std::vector<StateWindow> windows;
  std::vector<std::vector<int32_t>> ids;
};

// Tokens of a window: what the limits leave beside a full head, at least 64, at most `room`.
uint32_t WindowSize(const SequenceRules& rules, uint32_t room);

// How many windows of `size` tokens, each half a window after the one before, cover the state.
size_t CountWindows(size_t state_tokens, uint32_t size);

Result<WindowedState> CutWindows(std::span<const int32_t> state, uint32_t size,
                                 const TextEncoder& encoder);

}  // namespace dikast
