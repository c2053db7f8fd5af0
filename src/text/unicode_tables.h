// What the reference tokenizer knows about each code point: generated data and its look-ups. The
// tables are read-only; a code point that the reference's Unicode version does not know has no
// properties here either.
#pragma once

#include <cstdint>
#include <span>

namespace dikast::unicode {

// The bit order is shared with tools/unicode_tables.py.
enum CodePointFlag : uint16_t {
  kLetter = 1 << 0,           // \p{L}
  kNumber = 1 << 1,           // \p{N}
  kWhiteSpace = 1 << 2,       // \s; the same 25 code points wherever the reference asks
  kWord = 1 << 3,             // \w, as `single_word` of added tokens sees it
  kBertControl = 1 << 4,      // removed by BERT's clean_text
  kBertPunctuation = 1 << 5,  // a word of its own in BERT's pre-tokenizer
  kCjk = 1 << 6,              // put between spaces by BERT's handle_chinese_chars
  kNonspacingMark = 1 << 7,   // removed by BERT's strip_accents
  kDecomposes = 1 << 8,       // NFD changes it
  kNfcActive = 1 << 9,        // NFC may change it or join it to what stands before it
  kHasLowerCase = 1 << 10,    // lower-casing changes it
};

inline constexpr uint32_t kBlockSize = 128;
extern const uint16_t kPalette[];  // the combinations of flags that occur
extern const uint16_t kBlockOf[];
extern const uint8_t kBlocks[][kBlockSize];

struct Decomposition {
  char32_t code_point;
  uint16_t begin, size;  // in kDecompositionCodePoints
};
struct CombiningClass {
  char32_t code_point;
  uint8_t value;
};
struct Composition {
  char32_t first, second, composite;
};
struct LowerCase {
  char32_t code_point, first, second;  // second is 0 but for one code point
};

// Sorted by code point (compositions: by first, then second). Hangul syllables are arithmetic and
// not listed.
extern const std::span<const char32_t> kDecompositionCodePoints;
extern const std::span<const Decomposition> kDecompositions;
extern const std::span<const CombiningClass> kCombiningClasses;
extern const std::span<const Composition> kCompositions;
extern const std::span<const LowerCase> kLowerCases;

inline uint16_t Flags(char32_t c) {
  return kPalette[kBlocks[kBlockOf[c / kBlockSize]][c % kBlockSize]];
}

// Flags() of the 128 ASCII code points stand in one block.
inline bool Has(char32_t c, uint16_t flags) { return (Flags(c) & flags) != 0; }

}  // namespace dikast::unicode
