// Words that a thread has cut before and their ids. The ids of a word never change, so a hit gives
// what the model would.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "text/hash.h"

namespace dikast {

// One entry a slot, one cache line an entry: 1 MiB a thread. Longer words are not kept.
class WordCache {
 public:
  // Forgets everything unless `owner` also made the last call.
  void Claim(const std::shared_ptr<const char>& owner) {
    if (!owner_.owner_before(owner) && !owner.owner_before(owner_)) return;
    owner_ = owner;
    entries_.assign(kSlots, Entry());
  }

  // Empty when the word is not known. The span lives until the next Store().
  std::span<const int32_t> Find(std::string_view word) const {
    const Entry& entry = entries_[Slot(word)];
    if (entry.size != word.size() || std::memcmp(entry.word, word.data(), word.size()) != 0)
      return {};
    return {entry.ids.data(), entry.count};
  }

  void Store(std::string_view word, std::span<const int32_t> ids) {
    if (word.size() > kMaxWord || ids.size() > kMaxIds) return;
    Entry& entry = entries_[Slot(word)];
    entry.size = static_cast<uint8_t>(word.size());
    entry.count = static_cast<uint8_t>(ids.size());
    std::memcpy(entry.word, word.data(), word.size());
    std::copy(ids.begin(), ids.end(), entry.ids.begin());
  }

 private:
  static constexpr size_t kSlots = 1 << 14, kMaxWord = 30, kMaxIds = 8;
  struct alignas(64) Entry {
    uint8_t size = 0, count = 0;
    char word[kMaxWord];
    std::array<int32_t, kMaxIds> ids;
  };
  static_assert(sizeof(Entry) == 64);

  static size_t Slot(std::string_view word) { return HashBytes(word) & (kSlots - 1); }

  std::vector<Entry> entries_;
  std::weak_ptr<const char> owner_;  // keeps the address from being given to another owner
};

}  // namespace dikast
