#include "text/bert_normalizer.h"

#include <algorithm>

#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace dikast {
namespace {

using unicode::Has;

void AppendLowerCase(char32_t c, std::string& out) {
  if (!Has(c, unicode::kHasLowerCase)) return AppendUtf8(c, out);
  const auto row =
      std::ranges::lower_bound(unicode::kLowerCases, c, {}, &unicode::LowerCase::code_point);
  AppendUtf8(row->first, out);
  if (row->second != 0) AppendUtf8(row->second, out);
}

// Plain ASCII passes the first steps unchanged and separates the marks on its two sides. A control
// character need not: it is dropped first, and the marks around it are put in order together.
bool IsPlainAscii(char c) { return c >= ' ' && c <= '~'; }

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace

void BertNormalizer::Append(std::string_view text, NormalizationBuffer& buffer,
                            std::string& out) const {
  for (size_t at = 0; at < text.size();) {
    for (; at < text.size() && IsPlainAscii(text[at]); ++at) {
      out += lowercase ? LowerAscii(text[at]) : text[at];
    }
    const size_t begin = at;
    while (at < text.size() && !IsPlainAscii(text[at])) ++at;
    if (at > begin) AppendSegment(text.substr(begin, at - begin), buffer, out);
  }
}

void BertNormalizer::AppendSegment(std::string_view text, NormalizationBuffer& buffer,
                                   std::string& out) const {
  buffer.clear();
  for (const char *p = text.data(), *end = p + text.size(); p != end;) {
    Collect(NextCodePoint(p), buffer);
  }
  if (strip_accents) ReorderMarks(buffer);
  for (const uint32_t entry : buffer) {
    const char32_t c = CodePointOf(entry);
    if (strip_accents && Has(c, unicode::kNonspacingMark)) continue;
    if (lowercase) {
      AppendLowerCase(c, out);
    } else {
      AppendUtf8(c, out);
    }
  }
}

void BertNormalizer::Collect(char32_t c, NormalizationBuffer& buffer) const {
  if (clean_text) {
    if (Has(c, unicode::kBertControl)) return;
    if (Has(c, unicode::kWhiteSpace)) c = U' ';
  }
  const bool spaced = handle_chinese_chars && Has(c, unicode::kCjk);
  if (spaced) buffer.push_back(U' ');
  if (strip_accents) {
    AppendDecomposed(c, buffer);
  } else {
    buffer.push_back(c);
  }
  if (spaced) buffer.push_back(U' ');
}

}  // namespace dikast
