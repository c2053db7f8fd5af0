// Byte-pair encoding: a word is cut into its smallest symbols, and neighbours are joined in the
// order in which the merges are listed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/status.h"
#include "text/vocabulary.h"

namespace dikast {

struct BpeOptions {
  bool byte_level = false;     // symbols are bytes, spelled in GPT-2's alphabet; else characters
  bool byte_fallback = false;  // a character without a token becomes <0xNN> tokens
  bool fuse_unknown = false;   // neighbouring unknown characters become one unknown token
  bool ignore_merges = false;  // a word that is a token is that token
  int32_t unknown = Vocabulary::kNone;  // kNone: unknown characters vanish, as in the reference
};

// Memory that Encode reuses from word to word; one a thread.
struct BpeScratch {
  struct Symbol {
    int32_t id;  // kNone once joined to the symbol before it
    int32_t previous, next;
  };
  std::vector<int32_t> symbols;
  std::vector<uint32_t> ranks;
  std::vector<Symbol> list;
  std::vector<uint64_t> heap;
  std::string spelling;
};

// The merges as the file lists them: the two sides of each, end to end.
class MergeList {
 public:
  void Add(std::string_view left, std::string_view right);
  size_t size() const { return ends_.size() / 2; }
  std::string_view Left(size_t i) const { return Part(2 * i); }
  std::string_view Right(size_t i) const { return Part(2 * i + 1); }

 private:
  std::string_view Part(size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }
  std::string bytes_;
  std::vector<uint32_t> ends_;
};

class Bpe {
 public:
  // Errors: kModel without a path, for a merge whose parts or result are not in the vocabulary.
  static Result<Bpe> Build(const Vocabulary& vocabulary, const MergeList& merges,
                           const BpeOptions& options);

  // Appends the ids of one non-empty word.
  void Encode(const Vocabulary& vocabulary, std::string_view word, BpeScratch& scratch,
              std::vector<int32_t>& ids) const;

  int32_t unknown() const { return options_.unknown; }

  // True when no merge joins something that ends otherwise to something that begins with U+2581, so
  // that a text may be cut before its runs of U+2581 without a change of ids.
  bool CutsBeforeSpaceRuns() const { return cuts_before_space_runs_; }

 private:
  struct Merge {
    uint64_t pair = kNoPair;  // left id, right id
    uint32_t rank = 0;
    int32_t id = 0;
  };
  static constexpr uint64_t kNoPair = ~uint64_t{0};
  static constexpr uint32_t kNoRank = ~uint32_t{0};

  static uint64_t Pair(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  size_t SlotOf(uint64_t pair) const;
  const Merge& Find(int32_t left, int32_t right) const {
    return merges_[SlotOf(Pair(left, right))];
  }

  Result<void> AddMerges(const Vocabulary& vocabulary, const MergeList& merges);
  void AddSymbols(const Vocabulary& vocabulary);
  void Split(const Vocabulary& vocabulary, std::string_view word, BpeScratch& scratch) const;
  void MergeShort(BpeScratch& scratch) const;
  void MergeLong(BpeScratch& scratch) const;
  int32_t WholeWord(const Vocabulary& vocabulary, std::string_view word,
                    std::string& spelling) const;

  BpeOptions options_;
  std::vector<Merge> merges_;          // open addressing; an absent pair ends at a free slot
  std::array<int32_t, 256> byte_ids_;  // byte level: of the byte; else of <0xNN>
  std::array<int32_t, 128> ascii_ids_;
  bool cuts_before_space_runs_ = false;
};

}  // namespace dikast
