// Added tokens: strip rules as the reference has them, and user text that stays text.
#include "text/added_tokens.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/text/random_text.h"
#include "tests/text/tokenizer_data.h"

namespace dikast::text_test {
namespace {

using testing::ElementsAre;

// Splits with one matcher; matches appear as "<id>".
std::vector<std::string> Split(const AddedTokenMatcher& matcher, std::string_view text) {
  std::vector<std::string> parts;
  matcher.Split(
      text, [&](std::string_view part) { parts.emplace_back(part); },
      [&](int32_t id) { parts.push_back("<" + std::to_string(id) + ">"); });
  return parts;
}

AddedTokenMatcher MatcherOf(const std::vector<AddedToken>& tokens) {
  AddedTokenMatcher matcher;
  for (const AddedToken& token : tokens) matcher.Add(token.content, token);
  return matcher;
}

TEST(Matcher, LeftmostThenLongest) {
  const AddedTokenMatcher matcher = MatcherOf(
      {{.content = "ab", .id = 1}, {.content = "abcd", .id = 2}, {.content = "bc", .id = 3}});
  EXPECT_THAT(Split(matcher, "xabcdab"), ElementsAre("x", "<2>", "<1>"));
  EXPECT_THAT(Split(matcher, "abcx"), ElementsAre("<1>", "cx"));
  EXPECT_THAT(Split(matcher, "bcbc"), ElementsAre("<3>", "<3>"));
  EXPECT_THAT(Split(matcher, ""), ElementsAre());
}

TEST(Matcher, StripsUnicodeWhiteSpace) {
  const AddedTokenMatcher matcher = MatcherOf(
      {{.content = "L", .id = 1, .lstrip = true}, {.content = "R", .id = 2, .rstrip = true}});
  EXPECT_THAT(Split(matcher, "a \u3000\tL b"), ElementsAre("a", "<1>", " b"));
  EXPECT_THAT(Split(matcher, "a R \u2029b"), ElementsAre("a ", "<2>", "b"));
  EXPECT_THAT(Split(matcher, "R  L"), ElementsAre("<2>", "<1>"));
  EXPECT_THAT(Split(matcher, "L  L"), ElementsAre("<1>", "<1>"));
}

TEST(Matcher, SingleWordsStandAlone) {
  const AddedTokenMatcher matcher = MatcherOf({{.content = "ab", .id = 1, .single_word = true}});
  EXPECT_THAT(Split(matcher, "ab-ab"), ElementsAre("<1>", "-", "<1>"));
  EXPECT_THAT(Split(matcher, "abx \u00E9ab ab_"), ElementsAre("abx \u00E9ab ab_"));
  EXPECT_THAT(Split(matcher, "ab\u0301"), ElementsAre("ab\u0301"));
}

TEST(Matcher, NormalizedTokensAreSoughtInNormalizedText) {
  const Tokenizer tokenizer = LoadOrDie(R"({"version":"1.0","normalizer":{"type":"BertNormalizer"},
      "pre_tokenizer":{"type":"BertPreTokenizer"},
      "added_tokens":[{"id":5,"content":"Caf\u00E9","normalized":true},
                      {"id":6,"content":"BAR","normalized":false}],
      "model":{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"##",
               "max_input_chars_per_word":9,"vocab":{"?":0,"bar":1}}})");
  const auto ids = [&](std::string_view text) {
    return EncodeOrDie(tokenizer, text, AddedTokens::kMatch);
  };
  EXPECT_THAT(ids("CAFE\u0301"), ElementsAre(5));
  EXPECT_THAT(ids("BAR bar cafe"), ElementsAre(6, 1, 5));
}

std::vector<AddedToken> AddedTokensOf(std::string_view json) {
  std::vector<AddedToken> tokens;
  const Result<JsonValue> file = ParseJson(json, JsonDialect::kStrict, {.values = SIZE_MAX});
  for (const JsonValue& row : *file->Find("added_tokens")->AsArray()) {
    tokens.push_back({.content = Text(row, "content"),
                      .id = static_cast<int32_t>(*row.Find("id")->AsNumber()->ToInteger()),
                      .special = *row.Find("special")->AsBool()});
  }
  return tokens;
}

class UserText : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tokenizer_ = FindTokenizer(GetParam());
    SKIP_WITHOUT_TOKENIZER(tokenizer_, GetParam());
    tokens_ = AddedTokensOf(*TokenizerJson(GetParam()));
  }
  std::vector<int32_t> Ids(std::string_view text, AddedTokens mode) const {
    return EncodeOrDie(*tokenizer_, text, mode);
  }
  const Tokenizer* tokenizer_ = nullptr;
  std::vector<AddedToken> tokens_;
};

INSTANTIATE_TEST_SUITE_P(Text, UserText, testing::ValuesIn(kAllTokenizers),
                         [](const auto& info) { return TestName(info.param); });

// Every control token, alone and among text, in its own and in upper case.
TEST_P(UserText, NeverBecomesAControlToken) {
  std::vector<int32_t> control;
  for (const AddedToken& token : tokens_) {
    if (!IsPlainText(token) && token.content != "[UNK]") control.push_back(token.id);
  }
  RandomText random;
  for (const AddedToken& token : tokens_) {
    if (IsPlainText(token)) continue;
    const std::string around = random.Text();
    for (const std::string& text : {token.content, around + token.content, token.content + around,
                                    "\n" + token.content + " " + token.content + "\u2581"}) {
      for (const int32_t id : Ids(text, AddedTokens::kText)) {
        ASSERT_EQ(std::ranges::count(control, id), 0) << text << ", " << random.seed();
      }
    }
  }
  EXPECT_FALSE(control.empty());
}

TEST_P(UserText, PlainTokensMatchInBothModes) {
  for (const AddedToken& token : tokens_) {
    EXPECT_EQ(std::ranges::count(Ids(token.content, AddedTokens::kMatch), token.id), 1)
        << token.content;
    if (IsPlainText(token)) {
      EXPECT_EQ(std::ranges::count(Ids(token.content, AddedTokens::kText), token.id), 1);
    }
  }
}

TEST(PlainText, CountsOfTheRule) {
  const auto count = [](std::string_view name) {
    const auto tokens = AddedTokensOf(*TokenizerJson(name));
    return std::ranges::count_if(tokens, IsPlainText);
  };
  EXPECT_EQ(count("modernbert"), 23);
  EXPECT_EQ(count("qwen3"), 0);
  EXPECT_EQ(count("bert-uncased"), 0);
  SKIP_WITHOUT_TOKENIZER(FindTokenizer("gemma2"), "gemma2");
  EXPECT_EQ(count("gemma2"), 61 + 48);
}

TEST(PlainText, WhatIsAndWhatIsNot) {
  const auto plain = [](const char* content, bool special) {
    return IsPlainText({.content = content, .special = special});
  };
  EXPECT_TRUE(plain("  ", false));
  EXPECT_TRUE(plain("\n\t", false));
  EXPECT_TRUE(plain("\u2581\u2581", false));
  EXPECT_TRUE(plain("</blockquote>", false));
  EXPECT_FALSE(plain("  ", true));
  EXPECT_FALSE(plain("<mask>", false));
  EXPECT_FALSE(plain("<think>", false));
  EXPECT_FALSE(plain("<//b>", false));
  EXPECT_FALSE(plain("[unused7]", false));
}

TEST(Mask, SwallowsWhiteSpaceBeforeItWhenMatched) {
  const Tokenizer& tokenizer = *FindTokenizer("modernbert");
  EXPECT_THAT(EncodeOrDie(tokenizer, "\n  [MASK]", AddedTokens::kMatch), ElementsAre(50284));
}

}  // namespace
}  // namespace dikast::text_test
