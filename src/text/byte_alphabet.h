// GPT-2's alphabet: every byte as one printable character, the way byte-level vocabularies spell
// their tokens.
#pragma once

#include <array>
#include <cstdint>

namespace dikast {

struct ByteAlphabet {
  std::array<char16_t, 256> character;  // of a byte
  std::array<int16_t, 324> byte;        // of a character; -1 for one outside the alphabet

  int ByteOf(char32_t c) const { return c < byte.size() ? byte[c] : -1; }
};

constexpr ByteAlphabet MakeByteAlphabet() {
  ByteAlphabet alphabet = {};
  alphabet.byte.fill(-1);
  char16_t next = 256;
  for (unsigned b = 0; b < 256; ++b) {
    const bool printable = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
    alphabet.character[b] = printable ? static_cast<char16_t>(b) : next++;
    alphabet.byte[alphabet.character[b]] = static_cast<int16_t>(b);
  }
  return alphabet;
}

inline constexpr ByteAlphabet kByteAlphabet = MakeByteAlphabet();

}  // namespace dikast
