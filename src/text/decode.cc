#include "text/decode.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "text/byte_alphabet.h"
#include "text/pretokenize.h"
#include "text/utf8.h"

namespace dikast {
namespace {

using Tokens = std::vector<std::string_view>;

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string Join(const Tokens& tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) text += ' ';
    text += tokens[i];
  }
  return text;
}

// A token with a character outside the alphabet stands for its own UTF-8.
void AppendAlphabetBytes(std::string_view token, std::string& bytes) {
  const size_t before = bytes.size();
  for (const char *p = token.data(), *end = p + token.size(); p != end;) {
    const int byte = kByteAlphabet.ByteOf(NextCodePoint(p));
    if (byte < 0) {
      bytes.resize(before);
      bytes += token;
      return;
    }
    bytes += static_cast<char>(byte);
  }
}

std::string DecodeByteLevel(const Tokens& tokens) {
  std::string bytes, text;
  for (const std::string_view token : tokens) AppendAlphabetBytes(token, bytes);
  AppendLossyUtf8(bytes, text);
  return text;
}

// The byte that <0xNN> names.
std::optional<unsigned char> NamedByte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return std::nullopt;
  unsigned char byte = 0;
  const auto parsed = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
  if (parsed.ec != std::errc() || parsed.ptr != token.data() + 5) return std::nullopt;
  return byte;
}

// A run of byte tokens that is not UTF-8 as a whole becomes one U+FFFD a byte.
void FlushBytes(std::string& bytes, std::string& text) {
  if (FirstInvalidUtf8(bytes) == std::string_view::npos) {
    text += bytes;
  } else {
    for (size_t i = 0; i < bytes.size(); ++i) AppendUtf8(kReplacementCharacter, text);
  }
  bytes.clear();
}

std::string DecodeByteFallback(const Tokens& tokens) {
  std::string text, bytes;
  for (const std::string_view token : tokens) {
    if (const auto byte = NamedByte(token)) {
      bytes += static_cast<char>(*byte);
      continue;
    }
    FlushBytes(bytes, text);
    std::string piece(token);
    ReplaceAll(piece, kLowerOneEighthBlock, " ");
    text += piece;
  }
  FlushBytes(bytes, text);
  return text;
}

// The reference's clean-up, in its order, one token at a time.
void CleanUp(std::string& piece) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules = {{
      {" .", "."},
      {" ?", "?"},
      {" !", "!"},
      {" ,", ","},
      {" ' ", "'"},
      {" n't", "n't"},
      {" 'm", "'m"},
      {" do not", " don't"},
      {" 's", "'s"},
      {" 've", "'ve"},
      {" 're", "'re"},
  }};
  for (const auto& [from, to] : kRules) ReplaceAll(piece, from, to);
}

std::string DecodeWordPiece(const Tokens& tokens, const Decoder& decoder) {
  std::string text, piece;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool glued = i > 0 && tokens[i].starts_with(decoder.prefix);
    piece = i > 0 && !glued ? " " : "";
    piece += glued ? tokens[i].substr(decoder.prefix.size()) : tokens[i];
    if (decoder.cleanup) CleanUp(piece);
    text += piece;
  }
  return text;
}

}  // namespace

std::string Decoder::Decode(const Tokens& tokens) const {
  switch (kind) {
    case Kind::kJoin:
      return Join(tokens);
    case Kind::kByteLevel:
      return DecodeByteLevel(tokens);
    case Kind::kByteFallback:
      return DecodeByteFallback(tokens);
    case Kind::kWordPiece:
      return DecodeWordPiece(tokens, *this);
  }
  return {};
}

}  // namespace dikast
