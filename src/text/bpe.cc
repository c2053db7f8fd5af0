#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/try.h"
#include "text/byte_alphabet.h"
#include "text/hash.h"
#include "text/pretokenize.h"
#include "text/utf8.h"

namespace dikast {
namespace {

constexpr int32_t kNone = Vocabulary::kNone;

// Up to here a scan for the lowest rank beats the heap.
constexpr size_t kShortWord = 48;

std::string ByteToken(unsigned byte) {
  constexpr char kHex[] = "0123456789ABCDEF";
  return {'<', '0', 'x', kHex[byte >> 4], kHex[byte & 15], '>'};
}

void SpellBytes(std::string_view bytes, std::string& out) {
  out.clear();
  for (const char c : bytes)
    AppendUtf8(kByteAlphabet.character[static_cast<unsigned char>(c)], out);
}

tl::unexpected<Error> MergeFault(size_t merge, std::string_view fault) {
  return Fail(ErrorCode::kModel,
              "model.merges: merge " + std::to_string(merge) + " " + std::string(fault));
}

}  // namespace

void MergeList::Add(std::string_view left, std::string_view right) {
  bytes_ += left;
  ends_.push_back(static_cast<uint32_t>(bytes_.size()));
  bytes_ += right;
  ends_.push_back(static_cast<uint32_t>(bytes_.size()));
}

Result<Bpe> Bpe::Build(const Vocabulary& vocabulary, const MergeList& merges,
                       const BpeOptions& options) {
  Bpe bpe;
  bpe.options_ = options;
  DIKAST_CHECK_OK(bpe.AddMerges(vocabulary, merges));
  bpe.AddSymbols(vocabulary);
  return bpe;
}

Result<void> Bpe::AddMerges(const Vocabulary& vocabulary, const MergeList& merges) {
  merges_.resize(std::bit_ceil(merges.size() + merges.size() / 2 + 1));
  cuts_before_space_runs_ =
      !options_.ignore_merges && vocabulary.Find(kLowerOneEighthBlock) != kNone;
  std::string joined;
  for (size_t i = 0; i < merges.size(); ++i) {
    const std::string_view left = merges.Left(i), right = merges.Right(i);
    const int32_t left_id = vocabulary.Find(left), right_id = vocabulary.Find(right);
    if (left_id == kNone || right_id == kNone) {
      return MergeFault(i, "joins a token that is not in model.vocab");
    }
    const int32_t id = vocabulary.Find(joined.assign(left).append(right));
    if (id == kNone) return MergeFault(i, "makes a token that is not in model.vocab");
    const uint64_t pair = Pair(left_id, right_id);
    merges_[SlotOf(pair)] = {pair, static_cast<uint32_t>(i), id};  // of two equal, the last counts
    if (right.starts_with(kLowerOneEighthBlock) && !left.ends_with(kLowerOneEighthBlock)) {
      cuts_before_space_runs_ = false;
    }
  }
  return {};
}

void Bpe::AddSymbols(const Vocabulary& vocabulary) {
  std::string spelling;
  for (unsigned byte = 0; byte < 256; ++byte) {
    SpellBytes(std::string(1, static_cast<char>(byte)), spelling);
    byte_ids_[byte] = vocabulary.Find(options_.byte_level ? spelling : ByteToken(byte));
  }
  for (unsigned c = 0; c < ascii_ids_.size(); ++c) {
    ascii_ids_[c] = vocabulary.Find(std::string(1, static_cast<char>(c)));
  }
}

size_t Bpe::SlotOf(uint64_t pair) const {
  const size_t mask = merges_.size() - 1;
  size_t slot = MixBits(pair, 0x9E3779B97F4A7C15) & mask;
  while (merges_[slot].pair != pair && merges_[slot].pair != kNoPair) slot = (slot + 1) & mask;
  return slot;
}

void Bpe::Encode(const Vocabulary& vocabulary, std::string_view word, BpeScratch& scratch,
                 std::vector<int32_t>& ids) const {
  if (options_.ignore_merges) {
    const int32_t whole = WholeWord(vocabulary, word, scratch.spelling);
    if (whole != kNone) return ids.push_back(whole);
  }
  Split(vocabulary, word, scratch);
  scratch.symbols.size() <= kShortWord ? MergeShort(scratch) : MergeLong(scratch);
  ids.insert(ids.end(), scratch.symbols.begin(), scratch.symbols.end());
}

int32_t Bpe::WholeWord(const Vocabulary& vocabulary, std::string_view word,
                       std::string& spelling) const {
  if (!options_.byte_level) return vocabulary.Find(word);
  SpellBytes(word, spelling);
  return vocabulary.Find(spelling);
}

// The order of the steps is the reference's, also where bytes overtake an unknown token before
// them.
void Bpe::Split(const Vocabulary& vocabulary, std::string_view word, BpeScratch& scratch) const {
  std::vector<int32_t>& symbols = scratch.symbols;
  symbols.clear();
  bool pending = false;  // an unknown token that may still take in its successors
  for (size_t at = 0, size = 1; at < word.size(); at += size) {
    const unsigned char lead = static_cast<unsigned char>(word[at]);
    size = options_.byte_level ? 1 : Utf8Size(word[at]);
    const std::string_view symbol = word.substr(at, size);
    const int32_t id = options_.byte_level ? byte_ids_[lead]
                       : size == 1         ? ascii_ids_[lead]
                                           : vocabulary.Find(symbol);
    if (id != kNone) {
      if (pending) symbols.push_back(options_.unknown);
      pending = false;
      symbols.push_back(id);
      continue;
    }
    const auto byte_id = [&](char c) { return byte_ids_[static_cast<unsigned char>(c)]; };
    if (options_.byte_fallback &&
        std::ranges::none_of(symbol, [&](char c) { return byte_id(c) == kNone; })) {
      for (const char c : symbol) symbols.push_back(byte_id(c));
      continue;
    }
    if (options_.unknown == kNone) continue;
    if (pending && !options_.fuse_unknown) symbols.push_back(options_.unknown);
    pending = true;
  }
  if (pending) symbols.push_back(options_.unknown);
}

void Bpe::MergeShort(BpeScratch& scratch) const {
  std::vector<int32_t>& symbols = scratch.symbols;
  std::vector<uint32_t>& ranks = scratch.ranks;  // of each symbol with its successor
  ranks.clear();
  const auto rank_at = [&](size_t i) {
    if (i + 1 >= symbols.size()) return kNoRank;
    const Merge& merge = Find(symbols[i], symbols[i + 1]);
    return merge.pair == kNoPair ? kNoRank : merge.rank;
  };
  for (size_t i = 0; i < symbols.size(); ++i) ranks.push_back(rank_at(i));
  while (!symbols.empty()) {
    const size_t best = static_cast<size_t>(std::ranges::min_element(ranks) - ranks.begin());
    if (ranks[best] == kNoRank) return;
    symbols[best] = Find(symbols[best], symbols[best + 1]).id;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    ranks[best] = rank_at(best);
    if (best > 0) ranks[best - 1] = rank_at(best - 1);
  }
}

// A heap of candidate merges over a linked list. A candidate is stale when its symbols have changed
// since: then the pair there has another rank or none.
void Bpe::MergeLong(BpeScratch& scratch) const {
  std::vector<BpeScratch::Symbol>& list = scratch.list;
  std::vector<uint64_t>& heap = scratch.heap;  // rank, position: the leftmost of equals comes first
  list.clear();
  heap.clear();
  const int32_t count = static_cast<int32_t>(scratch.symbols.size());
  for (int32_t i = 0; i < count; ++i) list.push_back({scratch.symbols[i], i - 1, i + 1});
  const auto candidate = [&](int32_t position) {
    const int32_t next = list[position].next;
    if (next == count) return ~uint64_t{0};
    const Merge& merge = Find(list[position].id, list[next].id);
    if (merge.pair == kNoPair) return ~uint64_t{0};
    return uint64_t{merge.rank} << 32 | static_cast<uint32_t>(position);
  };
  const auto push = [&](int32_t position) {
    const uint64_t entry = candidate(position);
    if (entry == ~uint64_t{0}) return;
    heap.push_back(entry);
    std::ranges::push_heap(heap, std::greater());
  };
  for (int32_t i = 0; i < count; ++i) {
    if (const uint64_t entry = candidate(i); entry != ~uint64_t{0}) heap.push_back(entry);
  }
  std::ranges::make_heap(heap, std::greater());
  while (!heap.empty()) {
    const uint64_t entry = heap.front();
    std::ranges::pop_heap(heap, std::greater());
    heap.pop_back();
    const int32_t position = static_cast<int32_t>(entry & 0xFFFFFFFF);
    if (list[position].id == kNone || candidate(position) != entry) continue;
    BpeScratch::Symbol& left = list[position];
    BpeScratch::Symbol& right = list[left.next];
    left.id = Find(left.id, right.id).id;
    left.next = right.next;
    right.id = kNone;
    if (left.next != count) list[left.next].previous = position;
    if (left.previous >= 0) push(left.previous);
    push(position);
  }
  scratch.symbols.clear();
  for (const BpeScratch::Symbol& symbol : list) {
    if (symbol.id != kNone) scratch.symbols.push_back(symbol.id);
  }
}

}  // namespace dikast
