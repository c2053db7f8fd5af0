#include "text/normalize.h"

#include <algorithm>

#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace dikast {
namespace {

using unicode::Has;

// Hangul syllables, Unicode 15.0, section 3.12.
constexpr char32_t kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11A7;
constexpr uint32_t kLeadCount = 19, kVowelCount = 21, kTailCount = 28;
constexpr uint32_t kSyllableCount = kLeadCount * kVowelCount * kTailCount;

constexpr uint32_t ClassOf(uint32_t entry) { return entry >> 24; }

uint32_t WithClass(char32_t c) {
  if (!Has(c, unicode::kNfcActive)) return c;  // combining marks all are
  const auto found = std::ranges::lower_bound(unicode::kCombiningClasses, c, {},
                                              &unicode::CombiningClass::code_point);
  const bool listed = found != unicode::kCombiningClasses.end() && found->code_point == c;
  return listed ? c | uint32_t{found->value} << 24 : c;
}

// Most runs are one or two marks; a hostile run of many must not cost its square.
void SortMarks(NormalizationBuffer::iterator begin, NormalizationBuffer::iterator end) {
  constexpr std::ptrdiff_t kShortRun = 32;
  if (end - begin > kShortRun) {
    std::stable_sort(begin, end, [](uint32_t a, uint32_t b) { return ClassOf(a) < ClassOf(b); });
    return;
  }
  for (auto i = begin; i != end; ++i) {
    const uint32_t entry = *i;
    auto hole = i;
    for (; hole != begin && ClassOf(hole[-1]) > ClassOf(entry); --hole) *hole = hole[-1];
    *hole = entry;
  }
}

// The primary composite of a pair, or 0.
char32_t Compose(char32_t first, char32_t second) {
  if (first - kLeads < kLeadCount && second - kVowels < kVowelCount) {
    return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTailCount;
  }
  const uint32_t syllable = first - kSyllables;
  if (syllable < kSyllableCount && syllable % kTailCount == 0 &&
      second - kTails - 1 < kTailCount - 1) {
    return first + (second - kTails);
  }
  const auto pair = std::pair(first, second);
  const auto key = [](const unicode::Composition& c) { return std::pair(c.first, c.second); };
  const auto row = std::ranges::lower_bound(unicode::kCompositions, pair, {}, key);
  return row != unicode::kCompositions.end() && key(*row) == pair ? row->composite : 0;
}

// Canonical composition in place: a character joins the last starter unless something that was kept
// between them has the same or a higher class, or is a starter.
void ComposeInPlace(NormalizationBuffer& buffer) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t kept = 0, starter = kNone;
  for (const uint32_t entry : buffer) {
    const bool adjacent = starter != kNone && kept == starter + 1;
    if (starter != kNone && (adjacent || ClassOf(buffer[kept - 1]) < ClassOf(entry))) {
      if (const char32_t joined = Compose(CodePointOf(buffer[starter]), CodePointOf(entry))) {
        buffer[starter] = joined;
        continue;
      }
    }
    if (ClassOf(entry) == 0) starter = kept;
    buffer[kept++] = entry;
  }
  buffer.resize(kept);
}

// End of the stretch from `p` on that NFC leaves alone whatever follows, save its last code point.
const char* SkipInert(const char* p, const char* end) {
  while (p != end) {
    const char* next = p;
    if (Has(NextCodePoint(next), unicode::kNfcActive)) break;
    p = next;
  }
  return p;
}

}  // namespace

void AppendDecomposed(char32_t c, NormalizationBuffer& buffer) {
  if (!Has(c, unicode::kDecomposes)) {
    buffer.push_back(WithClass(c));
  } else if (const uint32_t s = c - kSyllables; s < kSyllableCount) {
    buffer.push_back(kLeads + s / (kVowelCount * kTailCount));
    buffer.push_back(kVowels + s / kTailCount % kVowelCount);
    if (s % kTailCount) buffer.push_back(kTails + s % kTailCount);
  } else {
    const auto row = std::ranges::lower_bound(unicode::kDecompositions, c, {},
                                              &unicode::Decomposition::code_point);
    for (const char32_t part : unicode::kDecompositionCodePoints.subspan(row->begin, row->size)) {
      buffer.push_back(WithClass(part));
    }
  }
}

void ReorderMarks(NormalizationBuffer& buffer) {
  const auto is_mark = [](uint32_t entry) { return ClassOf(entry) != 0; };
  for (auto run = buffer.begin(); run != buffer.end();) {
    run = std::find_if(run, buffer.end(), is_mark);
    const auto end = std::find_if_not(run, buffer.end(), is_mark);
    SortMarks(run, end);
    run = end;
  }
}

bool MayChangeUnderNfc(std::string_view text) {
  // Everything below U+0300 (lead byte 0xCC) is inert.
  const auto high = [](char c) { return static_cast<unsigned char>(c) >= 0xCC; };
  const auto first = std::find_if(text.begin(), text.end(), high);
  const char* end = text.data() + text.size();
  return SkipInert(text.data() + (first - text.begin()), end) != end;
}

void AppendNfc(std::string_view text, NormalizationBuffer& buffer, std::string& out) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const char* active = SkipInert(p, end);
    if (active == end) {
      out.append(p, end);
      return;
    }
    // A segment is the inert code point before the active run (it may join the run), and the run.
    const char* segment = active;
    if (active != p) PreviousCodePoint(segment);
    out.append(p, segment);
    buffer.clear();
    for (p = segment; p != end;) {
      const char* next = p;
      const char32_t c = NextCodePoint(next);
      if (p > segment && !Has(c, unicode::kNfcActive)) break;
      AppendDecomposed(c, buffer);
      p = next;
    }
    ReorderMarks(buffer);
    ComposeInPlace(buffer);
    for (const uint32_t entry : buffer) AppendUtf8(CodePointOf(entry), out);
  }
}

}  // namespace dikast
