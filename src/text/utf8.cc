#include "text/utf8.h"

#include <cstdint>
#include <cstring>

namespace dikast {
namespace {

// What may follow a lead byte: how many bytes, and the range of the first of them.
struct Lead {
  uint8_t tail, low, high;
};

constexpr Lead kNoLead = {0, 1, 0};

constexpr Lead LeadOf(unsigned char byte) {
  if (byte < 0xC2) return kNoLead;
  if (byte < 0xE0) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};  // no surrogates
  if (byte < 0xF0) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte < 0xF4) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};  // up to U+10FFFF
  return kNoLead;
}

// Length of the sequence at `at`: whole and well-formed, or the maximal ill-formed part.
struct Sequence {
  size_t size;
  bool valid;
};

Sequence SequenceAt(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(at) < 0x80) return {1, true};
  const Lead lead = LeadOf(byte(at));
  if (lead.tail == 0) return {1, false};
  for (size_t i = 1; i <= lead.tail; ++i) {
    const unsigned low = i == 1 ? lead.low : 0x80, high = i == 1 ? lead.high : 0xBF;
    if (at + i >= text.size() || byte(at + i) < low || byte(at + i) > high) return {i, false};
  }
  return {lead.tail + size_t{1}, true};
}

bool EightAscii(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return (word & 0x8080808080808080) == 0;
}

}  // namespace

size_t FirstInvalidUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 8 && EightAscii(text.data() + at)) {
      at += 8;
      continue;
    }
    const Sequence sequence = SequenceAt(text, at);
    if (!sequence.valid) return at;
    at += sequence.size;
  }
  return std::string_view::npos;
}

void AppendUtf8(char32_t c, std::string& out) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | c >> 6), tail(0)};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
  } else {
    out += {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
  }
}

void AppendLossyUtf8(std::string_view bytes, std::string& out) {
  for (size_t at = 0; at < bytes.size();) {
    const Sequence sequence = SequenceAt(bytes, at);
    if (sequence.valid) {
      out += bytes.substr(at, sequence.size);
    } else {
      AppendUtf8(kReplacementCharacter, out);
    }
    at += sequence.size;
  }
}

}  // namespace dikast
