// Random strings of all of Unicode with much of what splits and joins words. The seed is random and
// printed with failures.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "text/utf8.h"

namespace dikast::text_test {

class RandomText {
 public:
  RandomText() : RandomText(std::random_device{}()) {}
  explicit RandomText(unsigned seed) : seed_(seed), random_(seed) {}

  std::string seed() const { return "seed " + std::to_string(seed_); }

  // Below `limit`.
  size_t Number(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }

  char32_t Any(char32_t first, char32_t last) {
    return first + static_cast<char32_t>(Number(last - first + 1));
  }

  std::string Text() {
    static constexpr std::string_view kPieces[] = {
        " ",        "  ",       "\n",  "\r\n", "\t",     "'s",     "'LL",
        "don't",    " the",     "ing", "12",   "[MASK]", "<mask>", "\xE2\x96\x81",
        "\xCC\x81", "\xCC\xA3", ".",   "$",    "_",      "<h1>"};
    std::string text;
    for (size_t left = 1 + Number(60); left > 0; --left) {
      const size_t kind = Number(4);
      if (kind == 0) {
        text += kPieces[Number(std::size(kPieces))];
      } else if (kind == 1) {
        AppendUtf8(Any(' ', '~'), text);
      } else {
        const char32_t c = kind == 2 ? Any(0, 0x33FF) : Any(0, 0x10FFFF);
        AppendUtf8(c >= 0xD800 && c < 0xE000 ? U'x' : c, text);
      }
    }
    return text;
  }

 private:
  unsigned seed_;
  std::mt19937 random_;
};

}  // namespace dikast::text_test
