#include "text/vocabulary.h"

#include <algorithm>
#include <bit>

#include "text/hash.h"

namespace dikast {
namespace {

// Ids index arrays, so their range is bounded by the file: real vocabularies are dense. The
// constant leaves room for small files with a hole.
constexpr size_t kFreeIds = 1 << 20;

}  // namespace

void Vocabulary::Add(std::string_view token, int32_t id) {
  bytes_ += token;
  begins_.push_back(static_cast<uint32_t>(bytes_.size()));
  ids_.push_back(id);
  max_token_size_ = std::max(max_token_size_, token.size());
}

Result<void> Vocabulary::Build() {
  const size_t limit = std::max(kFreeIds, 4 * size());
  const auto largest = std::ranges::max_element(ids_);
  if (largest != ids_.end()) entry_of_.resize(std::min<size_t>(*largest + size_t{1}, limit));
  slots_.resize(std::bit_ceil(2 * size() + 1));
  for (size_t entry = 0; entry < size(); ++entry) {
    const std::string_view token = Entry(entry);
    const int32_t id = ids_[entry];
    const auto fail = [&](std::string_view fault) {
      return Fail(ErrorCode::kModel, "model.vocab: token " + std::to_string(entry) + " (id " +
                                         std::to_string(id) + ") " + std::string(fault));
    };
    if (id < 0 || static_cast<size_t>(id) >= limit) return fail("has an id out of bounds");
    if (entry_of_[id] != 0) return fail("has the id of an earlier token");
    if (Find(token) != kNone) return fail("stands twice");
    entry_of_[id] = static_cast<uint32_t>(entry + 1);
    const uint64_t hash = HashBytes(token);
    size_t i = hash & (slots_.size() - 1);
    while (slots_[i].entry != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {static_cast<uint32_t>(hash >> 32), static_cast<uint32_t>(entry + 1)};
  }
  return {};
}

int32_t Vocabulary::Find(std::string_view token) const {
  const uint64_t hash = HashBytes(token);
  const uint32_t tag = static_cast<uint32_t>(hash >> 32);
  for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    const Slot slot = slots_[i];
    if (slot.entry == 0) return kNone;
    if (slot.tag == tag && Entry(slot.entry - 1) == token) return ids_[slot.entry - 1];
  }
}

bool Vocabulary::HasId(int32_t id) const {
  return id >= 0 && static_cast<size_t>(id) < entry_of_.size() && entry_of_[id] != 0;
}

std::string_view Vocabulary::Token(int32_t id) const {
  return HasId(id) ? Entry(entry_of_[id] - 1) : std::string_view();
}

}  // namespace dikast
