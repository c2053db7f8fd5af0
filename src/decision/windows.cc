#include "decision/windows.h"

#include <algorithm>

#include "base/try.h"

namespace dikast {
namespace {

uint32_t Step(uint32_t size) { return std::max(1u, size / 2); }

}  // namespace

uint32_t WindowSize(const SequenceRules& rules, uint32_t room) {
  const int64_t beside_head = int64_t{rules.max_len} - rules.head_max_len - 8;
  return static_cast<uint32_t>(std::min<int64_t>(std::max<int64_t>(64, beside_head), room));
}

size_t CountWindows(size_t state_tokens, uint32_t size) {
  if (state_tokens <= size) return 1;
  return 1 + (state_tokens - size + Step(size) - 1) / Step(size);
}

Result<WindowedState> CutWindows(std::span<const int32_t> state, uint32_t size,
                                 const TextEncoder& encoder) {
  WindowedState cut{.size = size, .windows = {}, .ids = {}};
  const size_t count = CountWindows(state.size(), size);
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * Step(size);
    const size_t end = std::min(begin + size, state.size());
    cut.windows.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    DIKAST_TRY(std::vector<int32_t> ids, encoder.Window(state.subspan(begin, end - begin)));
    cut.ids.push_back(std::move(ids));
  }
  return cut;
}

}  // namespace dikast
