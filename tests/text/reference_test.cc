// Ids and decoded text against vectors of the reference tokenizers.
#include <gmock/gmock.h>

#include "tests/text/tokenizer_data.h"

namespace dikast::text_test {
namespace {

class Reference : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tokenizer_ = FindTokenizer(GetParam());
    SKIP_WITHOUT_TOKENIZER(tokenizer_, GetParam());
  }
  std::string name() const { return GetParam(); }
  const Tokenizer* tokenizer_ = nullptr;
};

TEST_P(Reference, SharedVectors) {
  for (const JsonValue& row : ReadRows("vectors/" + name() + ".jsonl")) {
    EXPECT_EQ(EncodeOrDie(*tokenizer_, Text(row, "text"), AddedTokens::kMatch),
              Ids(*row.Find("ids")))
        << Text(row, "text");
  }
}

TEST_P(Reference, RandomStrings) {
  int strings = 0;
  for (const JsonValue& row : ReadRows("random/" + name() + ".jsonl.gz")) {
    if (!row.Find("text")) continue;
    ++strings;
    EXPECT_EQ(EncodeOrDie(*tokenizer_, Text(row, "text"), AddedTokens::kMatch),
              Ids(*row.Find("ids")))
        << Text(row, "text");
  }
  EXPECT_EQ(strings, 1000);
}

TEST_P(Reference, Decoding) {
  int lists = 0;
  for (const JsonValue& row : ReadRows("random/" + name() + ".jsonl.gz")) {
    if (row.Find("text")) continue;
    ++lists;
    const std::vector<int32_t> ids = Ids(*row.Find("ids"));
    EXPECT_EQ(tokenizer_->Decode(ids), Text(row, "skipped"));
    EXPECT_EQ(tokenizer_->Decode(ids, DecodedTokens::kKeep), Text(row, "kept"));
  }
  EXPECT_EQ(lists, 250);
}

INSTANTIATE_TEST_SUITE_P(Text, Reference, testing::ValuesIn(kAllTokenizers),
                         [](const auto& info) { return TestName(info.param); });

TEST(Sizes, VocabularyWithAddedTokens) {
  EXPECT_EQ(FindTokenizer("modernbert")->vocabulary_size(), 50368u);
  EXPECT_EQ(FindTokenizer("qwen3")->vocabulary_size(), 151669u);
  EXPECT_EQ(FindTokenizer("bert-uncased")->vocabulary_size(), 30522u);
}

TEST(Sizes, TokensHaveIds) {
  EXPECT_EQ(FindTokenizer("modernbert")->TokenToId("[MASK]"), 50284);
  EXPECT_EQ(FindTokenizer("qwen3")->TokenToId("<|im_end|>"), 151645);
  EXPECT_EQ(FindTokenizer("bert-uncased")->TokenToId("hello"), 7592);
  EXPECT_EQ(FindTokenizer("bert-uncased")->TokenToId("no such token"), std::nullopt);
}

}  // namespace
}  // namespace dikast::text_test
