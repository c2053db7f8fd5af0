#include "text/added_tokens.h"

#include <algorithm>

#include "text/pretokenize.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace dikast {
namespace {

using unicode::Has;

// The HTML tags in Gemma's vocabulary, opening and closing.
constexpr std::array<std::string_view, 24> kHtmlTags = {
    "table", "caption", "thead", "tbody", "tfoot", "tr",         "th",     "td",
    "h1",    "h2",      "h3",    "h4",    "h5",    "h6",         "strong", "em",
    "b",     "i",       "u",     "s",     "sub",   "blockquote", "sup",    "code"};

bool IsHtmlTag(std::string_view text) {
  if (!text.starts_with('<') || !text.ends_with('>')) return false;
  text = text.substr(1, text.size() - 2);
  if (text.starts_with('/')) text.remove_prefix(1);
  return std::ranges::find(kHtmlTags, text) != kHtmlTags.end();
}

bool IsBlank(std::string_view text) {
  for (const char *p = text.data(), *end = p + text.size(); p != end;) {
    const char32_t c = NextCodePoint(p);
    if (c != 0x2581 && !Has(c, unicode::kWhiteSpace)) return false;
  }
  return true;
}

bool EndsWith(std::string_view text, uint16_t flag) {
  if (text.empty()) return false;
  const char* p = text.data() + text.size();
  return Has(PreviousCodePoint(p), flag);
}

bool StartsWith(std::string_view text, uint16_t flag) {
  if (text.empty()) return false;
  const char* p = text.data();
  return Has(NextCodePoint(p), flag);
}

}  // namespace

bool IsPlainText(const AddedToken& token) {
  return !token.special && (IsBlank(token.content) || IsHtmlTag(token.content));
}

void AddedTokenMatcher::Add(std::string_view pattern, const AddedToken& token) {
  if (pattern.empty()) return;
  starts_[static_cast<unsigned char>(pattern[0])] = true;
  uint32_t node = 0;
  for (const char c : pattern) {
    const unsigned char byte = static_cast<unsigned char>(c);
    uint32_t child = Child(node, byte);
    if (child == 0) {
      child = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({-1, 0, nodes_[node].first_child, byte});
      nodes_[node].first_child = child;
    }
    node = child;
  }
  nodes_[node].token = static_cast<int32_t>(tokens_.size());
  tokens_.push_back({token.id, token.single_word, token.lstrip, token.rstrip});
}

AddedTokenMatcher::Match AddedTokenMatcher::LongestAt(std::string_view text, size_t at) const {
  Match match;
  uint32_t node = 0;
  for (size_t i = at; i < text.size(); ++i) {
    node = Child(node, static_cast<unsigned char>(text[i]));
    if (node == 0) break;
    if (nodes_[node].token >= 0) match = {at, i + 1, &tokens_[nodes_[node].token]};
  }
  return match;
}

AddedTokenMatcher::Match AddedTokenMatcher::Next(std::string_view text, size_t from) const {
  if (tokens_.empty()) return {};
  for (size_t at = from; at < text.size(); ++at) {
    if (!starts_[static_cast<unsigned char>(text[at])]) continue;
    const Match match = LongestAt(text, at);
    if (match.token) return match;
  }
  return {};
}

bool AddedTokenMatcher::Widen(std::string_view text, const Token& token, size_t done, size_t& begin,
                              size_t& end) {
  if (token.single_word && (EndsWith(text.substr(0, begin), unicode::kWord) ||
                            StartsWith(text.substr(end), unicode::kWord))) {
    return false;
  }
  if (token.lstrip) {
    while (EndsWith(text.substr(0, begin), unicode::kWhiteSpace)) {
      const char* p = text.data() + begin;
      PreviousCodePoint(p);
      begin = static_cast<size_t>(p - text.data());
    }
    begin = std::max(begin, done);  // not what an earlier match has swallowed
  }
  while (token.rstrip && StartsWith(text.substr(end), unicode::kWhiteSpace)) {
    end += Utf8Size(text[end]);
  }
  return true;
}

}  // namespace dikast
