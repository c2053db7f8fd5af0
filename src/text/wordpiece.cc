#include "text/wordpiece.h"

#include <algorithm>

namespace dikast {
namespace {

bool IsTail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

size_t CharacterCount(std::string_view text) {
  return text.size() - static_cast<size_t>(std::count_if(text.begin(), text.end(), IsTail));
}

struct Piece {
  int32_t id;
  size_t size;
};

// The longest token that `text` starts with once `skip` bytes (the prefix) are taken for granted.
Piece LongestPiece(const Vocabulary& vocabulary, std::string_view text, size_t skip) {
  size_t size = std::min(text.size(), vocabulary.max_token_size());
  for (; size > skip; --size) {
    if (size < text.size() && IsTail(text[size])) continue;
    const int32_t id = vocabulary.Find(text.substr(0, size));
    if (id != Vocabulary::kNone) return {id, size};
  }
  return {Vocabulary::kNone, 0};
}

}  // namespace

void WordPiece::Encode(const Vocabulary& vocabulary, std::string_view word, std::string& buffer,
                       std::vector<int32_t>& ids) const {
  if (word.size() > max_characters && CharacterCount(word) > max_characters) {
    ids.push_back(unknown);
    return;
  }
  const Piece first = LongestPiece(vocabulary, word, 0);
  if (first.size == word.size()) {
    ids.push_back(first.id);
    return;
  }
  // The prefix of each further piece overwrites what is already cut off in front of it.
  const size_t prefix = continuing_prefix.size(), before = ids.size();
  buffer.assign(continuing_prefix).append(word);
  Piece piece = first;
  for (size_t at = 0; piece.id != Vocabulary::kNone;) {
    ids.push_back(piece.id);
    at += at == 0 ? piece.size : piece.size - prefix;
    if (at == word.size()) return;
    std::copy(continuing_prefix.begin(), continuing_prefix.end(), buffer.begin() + at);
    piece = LongestPiece(vocabulary, std::string_view(buffer).substr(at), prefix);
  }
  ids.resize(before);
  ids.push_back(unknown);
}

}  // namespace dikast
