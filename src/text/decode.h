// From ids back to text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dikast {

struct Decoder {
  enum class Kind {
    kJoin,          // tokens with spaces between them
    kByteLevel,     // GPT-2's byte alphabet
    kByteFallback,  // U+2581 is a space, <0xNN> is a byte
    kWordPiece,     // the prefix glues to the word before
  };
  Kind kind = Kind::kJoin;
  std::string prefix = "##";  // kWordPiece
  bool cleanup = true;        // kWordPiece: no space before punctuation and contractions

  // Ill-formed UTF-8 becomes U+FFFD.
  std::string Decode(const std::vector<std::string_view>& tokens) const;
};

}  // namespace dikast
