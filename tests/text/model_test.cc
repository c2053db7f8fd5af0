// BPE and WordPiece options on small vocabularies, and BPE against a direct implementation.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/text/random_text.h"
#include "tests/text/tokenizer_data.h"

namespace dikast::text_test {
namespace {

using testing::ElementsAre;

// A tokenizer with one word a text: `options` are further members of the model.
Tokenizer Bpe(const std::string& vocab, const std::string& merges,
              const std::string& options = "") {
  return LoadOrDie(R"({"version":"1.0","model":{"type":"BPE",)" + options + R"("vocab":)" + vocab +
                   R"(,"merges":)" + merges + "}}");
}

std::vector<int32_t> Encode(const Tokenizer& tokenizer, std::string_view text) {
  return EncodeOrDie(tokenizer, text, AddedTokens::kText);
}

TEST(BpeOptions, BothSpellingsOfMerges) {
  const std::string vocab = R"({"a":0,"b":1,"ab":2})";
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a b"])"), "aab"), ElementsAre(0, 2));
  EXPECT_THAT(Encode(Bpe(vocab, R"([["a","b"]])"), "aab"), ElementsAre(0, 2));
}

TEST(BpeOptions, LowerRanksFirstThenLeftmost) {
  const std::string vocab = R"({"a":0,"b":1,"aa":2,"ab":3,"aab":4})";
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a a","a b"])"), "aaab"), ElementsAre(2, 3));
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a b","a a"])"), "aaab"), ElementsAre(2, 3));
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a b","a ab"])"), "aaab"), ElementsAre(0, 4));
}

TEST(BpeOptions, OfARepeatedMergeTheLastRankCounts) {
  const std::string vocab = R"({"a":0,"b":1,"c":2,"ab":3,"bc":4})";
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a b","b c"])"), "abc"), ElementsAre(3, 2));
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a b","b c","a b"])"), "abc"), ElementsAre(0, 4));
}

TEST(BpeOptions, IgnoreMergesTakesWholeWords) {
  const std::string vocab = R"({"a":0,"b":1,"ab":2,"aba":3})";
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a b"])"), "aba"), ElementsAre(2, 0));
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a b"])", R"("ignore_merges":true,)"), "aba"), ElementsAre(3));
  EXPECT_THAT(Encode(Bpe(vocab, R"(["a b"])", R"("ignore_merges":true,)"), "abab"),
              ElementsAre(2, 2));
}

TEST(BpeOptions, UnknownCharacters) {
  const std::string vocab = R"({"a":0,"?":1})";
  EXPECT_THAT(Encode(Bpe(vocab, "[]"), "xxa\u00E9"), ElementsAre(0));
  EXPECT_THAT(Encode(Bpe(vocab, "[]", R"("unk_token":"?",)"), "xxa\u00E9"),
              ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(Encode(Bpe(vocab, "[]", R"("unk_token":"?","fuse_unk":true,)"), "xxa\u00E9y"),
              ElementsAre(1, 0, 1));
}

TEST(BpeOptions, ByteFallbackNeedsAllBytesOfTheCharacter) {
  const std::string vocab = R"({"a":0,"?":1,"<0xC3>":2,"<0xA9>":3})";
  const Tokenizer tokenizer = Bpe(vocab, "[]", R"("unk_token":"?","byte_fallback":true,)");
  EXPECT_THAT(Encode(tokenizer, "a\u00E9"), ElementsAre(0, 2, 3));
  EXPECT_THAT(Encode(tokenizer, "a\u00E8"), ElementsAre(0, 1));
}

// The text of a token, and the merges by rank, of a random vocabulary over three letters.
struct RandomVocabulary {
  std::map<std::string, int32_t> ids;
  std::vector<std::pair<std::string, std::string>> merges;

  explicit RandomVocabulary(RandomText& random) {
    std::vector<std::string> tokens = {"a", "b", "c"};
    for (int i = 0; i < 60; ++i) {
      const std::string left = tokens[random.Number(tokens.size())];
      const std::string right = tokens[random.Number(tokens.size())];
      if (left.size() + right.size() > 12) continue;
      if (std::ranges::find(merges, std::pair(left, right)) != merges.end()) continue;
      merges.emplace_back(left, right);
      if (std::ranges::find(tokens, left + right) == tokens.end()) tokens.push_back(left + right);
    }
    for (const std::string& token : tokens) ids.emplace(token, static_cast<int32_t>(ids.size()));
  }

  Tokenizer Load() const {
    std::string vocab, list;
    for (const auto& [token, id] : ids) {
      vocab += (vocab.empty() ? "\"" : ",\"") + token + "\":" + std::to_string(id);
    }
    for (const auto& [left, right] : merges) {
      list += (list.empty() ? "\"" : ",\"") + left + " " + right + "\"";
    }
    return Bpe("{" + vocab + "}", "[" + list + "]");
  }

  // The definition: of the merges that apply anywhere, the first listed, at its leftmost place.
  std::vector<int32_t> Encode(const std::string& word) const {
    std::vector<std::string> parts;
    for (const char c : word) parts.emplace_back(1, c);
    for (size_t m = 0; m < merges.size();) {
      size_t i = 0;
      while (i + 1 < parts.size() && std::pair(parts[i], parts[i + 1]) != merges[m]) ++i;
      if (i + 1 >= parts.size()) {
        ++m;
        continue;
      }
      parts[i] += parts[i + 1];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      m = 0;
    }
    std::vector<int32_t> result;
    for (const std::string& part : parts) result.push_back(ids.at(part));
    return result;
  }
};

// Words on both sides of the length where the heap takes over.
TEST(Bpe, AgreesWithItsDefinition) {
  RandomText random;
  for (int v = 0; v < 30; ++v) {
    const RandomVocabulary vocabulary(random);
    const Tokenizer tokenizer = vocabulary.Load();
    for (int i = 0; i < 30; ++i) {
      std::string word;
      for (size_t left = 1 + random.Number(120); left > 0; --left) word += "abc"[random.Number(3)];
      ASSERT_EQ(text_test::EncodeOrDie(tokenizer, word, AddedTokens::kText),
                vocabulary.Encode(word))
          << word << ", " << random.seed();
    }
  }
}

Tokenizer SmallWordPiece(const std::string& vocab, int most) {
  return LoadOrDie(
      R"({"version":"1.0","pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece",)"
      R"("unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":)" +
      std::to_string(most) + R"(,"vocab":)" + vocab + "}}");
}

TEST(WordPiece, LongestPieceFirst) {
  const Tokenizer tokenizer =
      SmallWordPiece(R"({"?":0,"ab":1,"abc":2,"##c":3,"##d":4,"##cd":5})", 100);
  EXPECT_THAT(Encode(tokenizer, "ab abc abcd abd abcx"), ElementsAre(1, 2, 2, 4, 1, 4, 0));
  EXPECT_THAT(Encode(tokenizer, "##c"), ElementsAre(0, 0, 0));
}

TEST(WordPiece, LengthCountsCharacters) {
  const Tokenizer tokenizer = SmallWordPiece(R"({"?":0,"\u00E9":1,"##\u00E9":2})", 3);
  EXPECT_THAT(Encode(tokenizer, "\u00E9\u00E9\u00E9"), ElementsAre(1, 2, 2));
  EXPECT_THAT(Encode(tokenizer, "\u00E9\u00E9\u00E9\u00E9"), ElementsAre(0));
}

}  // namespace
}  // namespace dikast::text_test
