// WordPiece: a word is cut, from the left, into the longest pieces of the vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace dikast {

struct WordPiece {
  std::string continuing_prefix = "##";  // of every piece but a word's first
  size_t max_characters = 100;           // a longer word is unknown
  int32_t unknown = Vocabulary::kNone;

  // Appends the ids of one non-empty word. `buffer` is scratch.
  void Encode(const Vocabulary& vocabulary, std::string_view word, std::string& buffer,
              std::vector<int32_t>& ids) const;
};

}  // namespace dikast
