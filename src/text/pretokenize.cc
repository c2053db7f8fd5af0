#include "text/pretokenize.h"

#include <array>
#include <initializer_list>

namespace dikast {
namespace {

using unicode::kLetter;
using unicode::kNumber;
using unicode::kWhiteSpace;

// Neither \s nor \p{L} nor \p{N}.
constexpr uint16_t kText = kWhiteSpace | kLetter | kNumber;

// The flags above of ASCII characters: most text is ASCII, and this saves it two look-ups each.
constexpr std::array<uint8_t, 128> MakeAsciiFlags() {
  std::array<uint8_t, 128> flags = {};
  for (unsigned char c = 'a'; c <= 'z'; ++c) flags[c] = flags[c - 'a' + 'A'] = kLetter;
  for (unsigned char c = '0'; c <= '9'; ++c) flags[c] = kNumber;
  for (const unsigned char c : {' ', '\t', '\n', '\v', '\f', '\r'}) flags[c] = kWhiteSpace;
  return flags;
}
constexpr std::array<uint8_t, 128> kAsciiFlags = MakeAsciiFlags();

// One code point of the text, or the end of it (no flags, next == at).
struct Character {
  char32_t code_point = 0;
  uint16_t flags = 0;
  const char* at;
  const char* next;

  Character(const char* p, const char* end) : at(p), next(p) {
    if (p == end) return;
    code_point = NextCodePoint(next);
    flags = code_point < 128 ? kAsciiFlags[code_point] : unicode::Flags(code_point);
  }
  bool AtEnd() const { return next == at; }
  bool IsOther() const { return !AtEnd() && (flags & kText) == 0; }
  bool IsNewline() const { return code_point == '\n' || code_point == '\r'; }
};

const char* SkipFlagged(const char* p, const char* end, uint16_t flag) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 128; };
  while (p != end && ascii(*p) && (kAsciiFlags[static_cast<size_t>(*p)] & flag)) ++p;
  for (;;) {
    const Character c(p, end);
    if ((c.flags & flag) == 0) return p;
    p = c.next;
  }
}

const char* SkipOther(const char* p, const char* end) {
  for (;;) {
    const Character c(p, end);
    if (!c.IsOther()) return p;
    p = c.next;
  }
}

// 's 't 're 've 'm 'll 'd behind the apostrophe: bytes matched, 0 if none. Ignoring case, U+017F
// (long s) is an s, and the only such letter outside ASCII.
size_t ContractionSize(std::string_view text, bool ignore_case) {
  const auto lower = [&](size_t i) {
    if (i >= text.size()) return '\0';
    const char c = text[i];
    return ignore_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  };
  const char first = lower(1), second = lower(2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e')) return 3;
  if (first == 'l' && second == 'l') return 3;
  return ignore_case && text.substr(1).starts_with("\xC5\xBF") ? 3 : 0;
}

// \s+(?!\S)|\s+ on a run of white space: a run before something else leaves its last character
// to that, unless it is the only one.
const char* MatchSpaces(const char* begin, const char* end) {
  const char* run_end = SkipFlagged(begin, end, kWhiteSpace);
  if (run_end == end) return end;
  const char* last = run_end;
  PreviousCodePoint(last);
  return last == begin ? run_end : last;
}

// End of the last \r or \n of a run of white space; null if it has none.
const char* LastNewlineEnd(const char* begin, const char* run_end) {
  for (const char* p = run_end; p != begin; --p) {
    if (p[-1] == '\n' || p[-1] == '\r') return p;
  }
  return nullptr;
}

}  // namespace

const char* MatchGpt2(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (*begin == '\'') {
    if (const size_t size = ContractionSize(text, false)) return begin + size;
  }
  const Character c(*begin == ' ' ? begin + 1 : begin, end);
  if (c.flags & kLetter) return SkipFlagged(c.next, end, kLetter);
  if (c.flags & kNumber) return SkipFlagged(c.next, end, kNumber);
  if (c.IsOther()) return SkipOther(c.next, end);
  return MatchSpaces(begin, end);
}

const char* MatchQwen(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (*begin == '\'') {
    if (const size_t size = ContractionSize(text, true)) return begin + size;
  }
  const Character first(begin, end);
  if (first.flags & kLetter) return SkipFlagged(first.next, end, kLetter);
  if (first.flags & kNumber) return first.next;
  const Character second(first.next, end);
  if ((second.flags & kLetter) && !first.IsNewline()) return SkipFlagged(second.next, end, kLetter);
  const Character& other = *begin == ' ' ? second : first;
  if (other.IsOther()) {
    const char* p = SkipOther(other.next, end);
    while (p != end && (*p == '\n' || *p == '\r')) ++p;
    return p;
  }
  const char* run_end = SkipFlagged(begin, end, kWhiteSpace);
  if (const char* newline = LastNewlineEnd(begin, run_end)) return newline;
  return MatchSpaces(begin, end);
}

}  // namespace dikast
