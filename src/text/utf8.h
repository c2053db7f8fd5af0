// UTF-8, validated once at the edge: everything behind Encode reads well-formed text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dikast {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// The offset of the first byte that starts no well-formed sequence (Unicode, table 3-7), or npos.
size_t FirstInvalidUtf8(std::string_view text);

// Bytes of the well-formed sequence that starts with `lead`.
inline size_t Utf8Size(char lead) {
  const unsigned char byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Reads one code point of well-formed text and moves `p` past it.
inline char32_t NextCodePoint(const char*& p) {
  const auto tail = [&p] { return static_cast<char32_t>(static_cast<unsigned char>(*p++) & 0x3F); };
  const char32_t lead = static_cast<unsigned char>(*p++);
  if (lead < 0x80) return lead;
  if (lead < 0xE0) return (lead & 0x1F) << 6 | tail();
  char32_t c = lead < 0xF0 ? lead & 0x0F : lead & 0x07;
  c = c << 6 | tail();
  c = c << 6 | tail();
  return lead < 0xF0 ? c : c << 6 | tail();
}

// Moves `p`, which is past at least one code point, back by one and reads it.
inline char32_t PreviousCodePoint(const char*& p) {
  do {
    --p;
  } while ((static_cast<unsigned char>(*p) & 0xC0) == 0x80);
  const char* start = p;
  return NextCodePoint(start);
}

void AppendUtf8(char32_t c, std::string& out);

// As Rust's from_utf8_lossy: every maximal ill-formed part becomes one U+FFFD.
void AppendLossyUtf8(std::string_view bytes, std::string& out);

}  // namespace dikast
