// Canonical decomposition and composition (Unicode Standard Annex 15), with the reference
// tokenizer's tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dikast {

// Code points in the middle of normalising, each with its combining class in the top byte.
using NormalizationBuffer = std::vector<uint32_t>;

// False when NFC certainly leaves `text` as it is.
bool MayChangeUnderNfc(std::string_view text);

// Appends the NFC form of well-formed `text` to `out`.
void AppendNfc(std::string_view text, NormalizationBuffer& buffer, std::string& out);

// The parts of NFD, for normalisers with steps of their own in between: the full decomposition of
// one code point, and the canonical order of the marks in a buffer.
void AppendDecomposed(char32_t c, NormalizationBuffer& buffer);
void ReorderMarks(NormalizationBuffer& buffer);

inline char32_t CodePointOf(uint32_t entry) { return entry & 0xFFFFFF; }

}  // namespace dikast
