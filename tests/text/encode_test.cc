// What holds for every tokenizer and text, whatever the ids are.
#include <gmock/gmock.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/text/random_text.h"
#include "tests/text/tokenizer_data.h"

namespace dikast::text_test {
namespace {

using testing::HasSubstr;

class EveryTokenizer : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tokenizer_ = FindTokenizer(GetParam());
    SKIP_WITHOUT_TOKENIZER(tokenizer_, GetParam());
  }
  const Tokenizer* tokenizer_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Text, EveryTokenizer, testing::ValuesIn(kAllTokenizers),
                         [](const auto& info) { return TestName(info.param); });

TEST_P(EveryTokenizer, NothingGivesNothing) {
  EXPECT_TRUE(EncodeOrDie(*tokenizer_, "", AddedTokens::kText).empty());
  EXPECT_EQ(tokenizer_->Decode({}), "");
}

TEST_P(EveryTokenizer, InvalidUtf8LeavesIdsAlone) {
  std::vector<int32_t> ids = {7, 8};
  const Result<void> encoded = tokenizer_->Encode("caf\xC3\xA9 \xC3 x", AddedTokens::kText, ids);
  ASSERT_FALSE(encoded);
  EXPECT_EQ(encoded.error().code, ErrorCode::kRequest);
  EXPECT_THAT(encoded.error().message, HasSubstr("offset 6"));
  EXPECT_THAT(ids, testing::ElementsAre(7, 8));
}

TEST_P(EveryTokenizer, AppendsToIds) {
  RandomText random;
  for (int i = 0; i < 200; ++i) {
    const std::string a = random.Text(), b = random.Text();
    std::vector<int32_t> both = EncodeOrDie(*tokenizer_, a, AddedTokens::kText);
    const std::vector<int32_t> second = EncodeOrDie(*tokenizer_, b, AddedTokens::kText);
    std::vector<int32_t> expected = both;
    expected.insert(expected.end(), second.begin(), second.end());
    ASSERT_TRUE(tokenizer_->Encode(b, AddedTokens::kText, both));
    ASSERT_EQ(both, expected) << random.seed();
  }
}

// The word caches of threads start cold and fill in different orders.
TEST_P(EveryTokenizer, IsSafeToShareBetweenThreads) {
  RandomText random;
  std::vector<std::string> texts;
  std::vector<std::vector<int32_t>> expected;
  for (int i = 0; i < 200; ++i) {
    texts.push_back(random.Text());
    expected.push_back(EncodeOrDie(*tokenizer_, texts.back(), AddedTokens::kMatch));
  }
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < texts.size(); ++i) {
        const size_t at = (i * 7 + t * 50) % texts.size();
        std::vector<int32_t> ids;
        const bool encoded = tokenizer_->Encode(texts[at], AddedTokens::kMatch, ids).has_value();
        wrong[t] += !encoded || ids != expected[at];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0)) << random.seed();
}

// A state of one endless word must not cost its square; the text also passes the scratch memory
// that a thread keeps.
TEST_P(EveryTokenizer, LongTextsWithoutSpaces) {
  std::string text;
  while (text.size() < (1 << 20) + 64) text += "Donaudampfschifffahrtsgesellschaft";
  const std::vector<int32_t> ids = EncodeOrDie(*tokenizer_, text, AddedTokens::kText);
  if (GetParam() == std::string("bert-uncased")) {
    EXPECT_EQ(ids, std::vector<int32_t>{100});  // a word of over 100 characters is [UNK]
  } else {
    EXPECT_THAT(tokenizer_->Decode(ids), testing::EndsWith(text.substr(1)));
  }
}

TEST_P(EveryTokenizer, HostileRunsOfMarksAndSpaces) {
  for (const char* unit : {"\xCC\x81\xCC\xA3", " ", "\n", "\xE2\x96\x81", "[MASK", "'"}) {
    std::string text;
    while (text.size() < 300000) text += unit;
    EXPECT_FALSE(EncodeOrDie(*tokenizer_, text, AddedTokens::kMatch).size() > text.size()) << unit;
  }
}

// Byte-level and byte-fallback vocabularies lose nothing that NFC keeps.
TEST(RoundTrip, ByteLevelTextComesBack) {
  for (const char* name : {"modernbert", "qwen3"}) {
    const Tokenizer& tokenizer = *FindTokenizer(name);
    for (const std::string text :
         {"Stra\u00DFe  12\n\n\t\u65E5\u672C \U0001F60A don't", " a", "\u0378"}) {
      EXPECT_EQ(tokenizer.Decode(EncodeOrDie(tokenizer, text, AddedTokens::kText)), text);
    }
  }
}

TEST(MovedTokenizers, AThreadsCacheFollowsTheTokenizer) {
  const auto two = [](int32_t id) {
    return LoadOrDie(R"({"version":"1.0","model":{"type":"BPE","vocab":{"a":)" +
                     std::to_string(id) + R"(},"merges":[]}})");
  };
  for (int32_t id = 0; id < 20; ++id) {
    const Tokenizer tokenizer = two(id);  // often at the address of the one before
    EXPECT_THAT(EncodeOrDie(tokenizer, "a", AddedTokens::kText), testing::ElementsAre(id));
  }
}

}  // namespace
}  // namespace dikast::text_test
