// Token strings and their ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/status.h"

namespace dikast {

// Filled once with Add(), sealed by Build(), read-only and shareable afterwards.
class Vocabulary {
 public:
  static constexpr int32_t kNone = -1;

  void Add(std::string_view token, int32_t id);

  // Errors: kModel without a path when a token or an id stands twice, or an id is out of bounds.
  Result<void> Build();

  // The id of `token`, or kNone.
  int32_t Find(std::string_view token) const;
  bool HasId(int32_t id) const;
  // Empty for an id that is not used.
  std::string_view Token(int32_t id) const;

  size_t size() const { return ids_.size(); }
  size_t max_token_size() const { return max_token_size_; }

 private:
  struct Slot {
    uint32_t tag = 0;    // upper half of the hash
    uint32_t entry = 0;  // index + 1; 0 is free
  };
  std::string_view Entry(size_t entry) const {
    return {bytes_.data() + begins_[entry], begins_[entry + 1] - begins_[entry]};
  }

  std::string bytes_;  // all tokens, end to end
  std::vector<uint32_t> begins_{0};
  std::vector<int32_t> ids_;        // by entry
  std::vector<uint32_t> entry_of_;  // by id: index + 1; 0 is unused
  std::vector<Slot> slots_;         // open addressing, at most half full
  size_t max_token_size_ = 0;
};

}  // namespace dikast
