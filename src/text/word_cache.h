// Words that a thread has cut before and their ids. The ids of a word never change, so a hit gives
// what the model would.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/hash.h"

namespace dikast {

// 2 MiB a thread: sets of two entries, one cache line an entry. Longer words are not kept.
class WordCache {
 public:
  // Forgets everything unless `owner` also made the last call.
  void Claim(const std::shared_ptr<const char>& owner) {
    if (!owner_.owner_before(owner) && !owner.owner_before(owner_)) return;
    owner_ = owner;
    sets_.assign(kSets, Set());
  }

  // Empty when the word is not known. The span lives until the next call.
  std::span<const int32_t> Find(std::string_view word) {
    Set& set = sets_[SetOf(word)];
    if (set[0].Is(word)) return set[0].Ids();
    if (!set[1].Is(word)) return {};
    std::swap(set[0], set[1]);
    return set[0].Ids();
  }

  // Takes the place of the word of the set that was looked up longer ago.
  void Store(std::string_view word, std::span<const int32_t> ids) {
    if (word.size() > kMaxWord || ids.size() > kMaxIds) return;
    Set& set = sets_[SetOf(word)];
    set[1] = set[0];
    Entry& entry = set[0];
    entry.size = static_cast<uint8_t>(word.size());
    entry.count = static_cast<uint8_t>(ids.size());
    std::memcpy(entry.word, word.data(), word.size());
    std::copy(ids.begin(), ids.end(), entry.ids.begin());
  }

 private:
  static constexpr size_t kSets = 1 << 14, kMaxWord = 30, kMaxIds = 8;
  struct alignas(64) Entry {
    uint8_t size = 0, count = 0;
    char word[kMaxWord];
    std::array<int32_t, kMaxIds> ids;

    bool Is(std::string_view text) const {
      return size == text.size() && std::memcmp(word, text.data(), size) == 0;
    }
    std::span<const int32_t> Ids() const { return {ids.data(), count}; }
  };
  static_assert(sizeof(Entry) == 64);
  using Set = std::array<Entry, 2>;

  static size_t SetOf(std::string_view word) { return HashBytes(word) & (kSets - 1); }

  std::vector<Set> sets_;
  std::weak_ptr<const char> owner_;  // keeps the address from being given to another owner
};

}  // namespace dikast
