// UTF-8, normalisation and the hand-written patterns against independent implementations.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <gmock/gmock.h>
#include <pcre2.h>
#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/text/random_text.h"
#include "text/bert_normalizer.h"
#include "text/normalize.h"
#include "text/pretokenize.h"
#include "text/utf8.h"

namespace dikast::text_test {
namespace {

TEST(Utf8, FindsTheFirstInvalidByte) {
  const struct {
    std::string_view text;
    size_t offset;
  } kCases[] = {
      {"\x80", 0},                     // a tail alone
      {"ab\xC3", 2},                   // cut off
      {"ab\xC3(", 2},                  // no tail
      {"\xC0\x80", 0},                 // overlong
      {"\xE0\x9F\xBF", 0},             // overlong
      {"a\xED\xA0\x80", 1},            // a surrogate
      {"\xF4\x90\x80\x80", 0},         // past U+10FFFF
      {"\xF5\x80\x80\x80", 0},         // no such lead
      {"12345678\xFF", 8},             // behind an ASCII block
      {"\xE2\x96\x81\xF0\x9F\x98", 3}  // the second of two
  };
  for (const auto& [text, offset] : kCases) EXPECT_EQ(FirstInvalidUtf8(text), offset);
  EXPECT_EQ(FirstInvalidUtf8("caf\u00E9 \u65E5 \U0001F60A \U0010FFFF"), std::string_view::npos);
  EXPECT_EQ(FirstInvalidUtf8(""), std::string_view::npos);
}

TEST(Utf8, CodePointsRoundTrip) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    AppendUtf8(c, text);
    const char* p = text.data();
    ASSERT_EQ(NextCodePoint(p), c);
    ASSERT_EQ(p, text.data() + text.size());
    ASSERT_EQ(PreviousCodePoint(p), c);
    ASSERT_EQ(Utf8Size(text[0]), text.size());
  }
}

TEST(Utf8, LossyTextHasOneReplacementAMaximalPart) {
  std::string out;
  AppendLossyUtf8("a\xF0\x9F\x98z\xFF\xE2\x96", out);
  EXPECT_EQ(out, "a\uFFFDz\uFFFD\uFFFD");
}

// Code points whose properties have not changed since Unicode 9: the versions of the reference, of
// utf8proc and of pcre2 differ in the others.
char32_t SettledCodePoint(RandomText& random) {
  static constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x20, 0x7E},     {0xA0, 0x24F},    {0x300, 0x36E},    {0x391, 0x3A1},   {0x400, 0x4FF},
      {0x591, 0x5C7},   {0x621, 0x655},   {0x905, 0x94D},    {0x1100, 0x11FF}, {0x1E00, 0x1EFF},
      {0x1F00, 0x1F15}, {0x2000, 0x200A}, {0x3041, 0x3096},  {0x3099, 0x309A}, {0x4E00, 0x9FA5},
      {0xAC00, 0xD7A3}, {0xF900, 0xFA2D}, {0x1D15E, 0x1D172}};
  const auto& [first, last] = kRanges[random.Number(std::size(kRanges))];
  return random.Any(first, last);
}

// Not U+11A7: the oracle takes it for the first trailing jamo, joins it to the syllable before and
// loses it; by the standard it is no trailing jamo (section 3.12: TBase + 1 is the first).
constexpr char32_t kBeforeTrailingJamos = 0x11A7;

std::string SettledText(RandomText& random) {
  std::string text;
  for (size_t left = random.Number(30); left > 0; --left) {
    const char32_t code_point =
        random.Number(4) == 0 ? random.Any(0x300, 0x345) : SettledCodePoint(random);
    if (code_point != kBeforeTrailingJamos) AppendUtf8(code_point, text);
  }
  return text;
}

std::string OracleNormal(const std::string& text, utf8proc_option_t form) {
  utf8proc_uint8_t* out = nullptr;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(text.size()), &out,
                                 static_cast<utf8proc_option_t>(UTF8PROC_STABLE | form));
  const std::string normal(reinterpret_cast<const char*>(out), static_cast<size_t>(size));
  std::free(out);
  return normal;
}

std::string Nfc(std::string_view text) {
  NormalizationBuffer buffer;
  std::string out;
  AppendNfc(text, buffer, out);
  return out;
}

TEST(Normalize, NfcAgreesWithUtf8proc) {
  RandomText random;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = SettledText(random);
    const std::string nfc = OracleNormal(text, UTF8PROC_COMPOSE);
    ASSERT_EQ(Nfc(text), nfc) << random.seed();
    ASSERT_EQ(Nfc(nfc), nfc) << random.seed();
    if (!MayChangeUnderNfc(text)) {
      ASSERT_EQ(nfc, text) << random.seed();
    }
  }
}

TEST(Normalize, WhatStandsBeforeTheTrailingJamosStays) {
  const std::string syllable = "\xEC\x8E\xBC", before = "\xE1\x86\xA7", first = "\xE1\x86\xA8";
  EXPECT_EQ(Nfc(syllable + before), syllable + before);
  EXPECT_EQ(Nfc(syllable + first), "\xEC\x8E\xBD");  // U+C3BC + U+11A8 is U+C3BD
}

TEST(Normalize, LongRunsOfMarksAreSorted) {
  std::string text = "a";
  for (int i = 0; i < 1000; ++i) text += "\u0301\u0323";
  EXPECT_EQ(Nfc(text), OracleNormal(text, UTF8PROC_COMPOSE));
}

TEST(Normalize, BertStepsAreSeparate) {
  NormalizationBuffer buffer;
  const auto normal = [&](const BertNormalizer& bert, std::string_view text) {
    std::string out;
    bert.Append(text, buffer, out);
    return out;
  };
  const std::string_view text = "\u00C9t\u00E9\t\u4E2DX\x01y";
  EXPECT_EQ(normal({true, true, true, true}, text), "ete  \u4E2D xy");
  EXPECT_EQ(normal({true, false, false, false}, text), "\u00C9t\u00E9 \u4E2DXy");
  EXPECT_EQ(normal({false, true, false, false}, text), "\u00C9t\u00E9\t \u4E2D X\x01y");
  EXPECT_EQ(normal({false, false, true, false}, text), "Ete\t\u4E2DX\x01y");
  EXPECT_EQ(normal({false, false, false, true}, text), "\u00E9t\u00E9\t\u4E2Dx\x01y");
  EXPECT_EQ(normal({true, true, false, true}, "\u0130"), "i\u0307");
}

class Pattern {
 public:
  explicit Pattern(std::string_view regex) {
    int error = 0;
    size_t offset = 0;
    code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(regex.data()), regex.size(),
                              PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr));
    match_.reset(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
  }
  std::vector<std::string> Split(const std::string& text) const {
    std::vector<std::string> words;
    for (size_t at = 0; at < text.size(); at += words.back().size()) {
      const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
      pcre2_match(code_.get(), subject, text.size(), at, PCRE2_ANCHORED, match_.get(), nullptr);
      const size_t* bounds = pcre2_get_ovector_pointer(match_.get());
      words.push_back(text.substr(at, bounds[1] - at));
    }
    return words;
  }

 private:
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  };
  std::unique_ptr<pcre2_code, Free> code_;
  std::unique_ptr<pcre2_match_data, Free> match_;
};

template <class Match>
std::vector<std::string> Words(const std::string& text, const Match& match) {
  std::vector<std::string> words;
  ForEachMatch(text, match, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

std::string PatternText(RandomText& random) {
  static constexpr std::string_view kPieces[] = {
      " ",   "  ",  "\n",  "\r",     "\t",      "'",      "'s",     "'S",
      "'ll", "'lL", "'ve", "'re",    "'\u017F", "1",      "\u00BD", "?",
      "-",   "a",   "Z",   "\u00A0", "\u2029",  "\u3000", "x\u0301"};
  std::string text;
  for (size_t left = random.Number(16); left > 0; --left) {
    if (random.Number(5) == 0) {
      AppendUtf8(SettledCodePoint(random), text);
    } else {
      text += kPieces[random.Number(std::size(kPieces))];
    }
  }
  return text;
}

TEST(PreTokenize, PatternsAgreeWithPcre2) {
  const Pattern gpt2(kGpt2Pattern), qwen(kQwenPattern);
  RandomText random;
  for (int i = 0; i < 50000; ++i) {
    const std::string text = PatternText(random);
    ASSERT_EQ(Words(text, MatchGpt2), gpt2.Split(text)) << random.seed();
    ASSERT_EQ(Words(text, MatchQwen), qwen.Split(text)) << random.seed();
  }
}

TEST(PreTokenize, WordsOfReportedFaults) {
  using testing::ElementsAre;
  EXPECT_THAT(Words("a\t\tb", MatchGpt2), ElementsAre("a", "\t", "\t", "b"));
  EXPECT_THAT(Words("a\t\tb", MatchQwen), ElementsAre("a", "\t", "\tb"));
  EXPECT_THAT(Words("don't DON'T", MatchGpt2), ElementsAre("don", "'t", " DON", "'", "T"));
  EXPECT_THAT(Words("don't DON'T", MatchQwen), ElementsAre("don", "'t", " DON", "'T"));
  EXPECT_THAT(Words("x\u2029\uA3E4", MatchGpt2), ElementsAre("x", "\u2029", "\uA3E4"));
  EXPECT_THAT(Words("x\u2029\uA3E4", MatchQwen), ElementsAre("x", "\u2029\uA3E4"));
  EXPECT_THAT(Words("12 \n\n  3", MatchQwen), ElementsAre("1", "2", " \n\n", " ", " ", "3"));
}

TEST(PreTokenize, BertAndMetaspaceWords) {
  std::vector<std::string> words;
  const auto sink = [&](std::string_view word) { words.emplace_back(word); };
  ForEachBertWord(" it's\u3000\u00ABok\u00BB ", sink);
  EXPECT_THAT(words, testing::ElementsAre("it", "'", "s", "\u00AB", "ok", "\u00BB"));
  words.clear();
  ForEachMetaspaceWord("\u2581a\u2581\u2581b", sink);
  EXPECT_THAT(words, testing::ElementsAre("\u2581a", "\u2581", "\u2581b"));
  words.clear();
  ForEachSpaceRunWord("a\u2581\u2581b\u2581", sink);
  EXPECT_THAT(words, testing::ElementsAre("a", "\u2581\u2581b", "\u2581"));
}

}  // namespace
}  // namespace dikast::text_test
