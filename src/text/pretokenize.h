// From normalised text to words: one function a pre-tokenizer. Each calls sink(std::string_view)
// for every word in order. Patterns of the reference's regular expressions are matched by hand.
#pragma once

#include <string_view>

#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace dikast {

// U+2581, which stands for a space in SentencePiece vocabularies.
inline constexpr std::string_view kLowerOneEighthBlock = "\xE2\x96\x81";

inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

// The first match of the pattern at the start of non-empty `text`: its end. Both patterns match at
// every position.
const char* MatchGpt2(std::string_view text);
const char* MatchQwen(std::string_view text);

template <class Match, class Sink>
void ForEachMatch(std::string_view text, const Match& match, Sink&& sink) {
  while (!text.empty()) {
    const size_t size = static_cast<size_t>(match(text) - text.data());
    sink(text.substr(0, size));
    text.remove_prefix(size);
  }
}

// White space separates and is dropped; a punctuation character is a word of its own.
template <class Sink>
void ForEachBertWord(std::string_view text, Sink&& sink) {
  const char* const end = text.data() + text.size();
  const char* word = text.data();
  const auto flush = [&](const char* word_end) {
    if (word_end != word) sink(std::string_view(word, static_cast<size_t>(word_end - word)));
  };
  for (const char* p = word; p != end;) {
    const char* const at = p;
    const uint16_t flags = unicode::Flags(NextCodePoint(p));
    if ((flags & (unicode::kWhiteSpace | unicode::kBertPunctuation)) == 0) continue;
    flush(at);
    if (flags & unicode::kBertPunctuation) sink(std::string_view(at, static_cast<size_t>(p - at)));
    word = p;
  }
  flush(end);
}

// Cuts before every U+2581.
template <class Sink>
void ForEachMetaspaceWord(std::string_view text, Sink&& sink) {
  while (!text.empty()) {
    const size_t size = std::min(text.find(kLowerOneEighthBlock, 1), text.size());
    sink(text.substr(0, size));
    text.remove_prefix(size);
  }
}

// Cuts before every run of U+2581.
template <class Sink>
void ForEachSpaceRunWord(std::string_view text, Sink&& sink) {
  size_t at = 0;
  while (!text.empty()) {
    while (text.substr(at).starts_with(kLowerOneEighthBlock)) at += kLowerOneEighthBlock.size();
    const size_t size = std::min(text.find(kLowerOneEighthBlock, at), text.size());
    sink(text.substr(0, size));
    text.remove_prefix(size);
    at = 0;
  }
}

}  // namespace dikast
