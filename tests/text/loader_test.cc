// What a tokenizer.json may not ask for, and how the refusal reads.
#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "tests/text/tokenizer_data.h"

namespace dikast::text_test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kBpe = R"({"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]})";
constexpr std::string_view kWordPiece =
    R"({"type":"WordPiece","unk_token":"a","continuing_subword_prefix":"##",)"
    R"("max_input_chars_per_word":9,"vocab":{"a":0}})";

// A whole file around one member.
std::string With(std::string_view member, std::string_view model = kBpe) {
  return R"({"version":"1.0",)" + std::string(member) + (member.empty() ? "" : ",") +
         R"("model":)" + std::string(model) + "}";
}

struct Case {
  const char* name;
  std::string json;
  const char* message;
};

const Case kCases[] = {
    // The file.
    {"empty", "", "byte"},
    {"cut", R"({"version":"1.0","model":{"type":"BPE","vocab":{"a":0)", "byte"},
    {"array", "[]", "the file is an array, not an object"},
    {"no_version", R"({"model":{}})", "version is missing"},
    {"version_2", R"({"version":"2.0"})", R"(version "2.0" is not supported, only "1.0")"},
    {"unknown_member", With(R"("dialect":1)"), R"(member "dialect" of the file is not supported)"},
    {"repeated_member", With(R"("version":"1.0")"), "twice"},
    {"large_rest", With(R"("padding":")" + std::string(2 << 20, 'x') + "\""), "1 MiB"},
    // Normalisers.
    {"normalizer_type", With(R"("normalizer":{"type":"NFKC"})"), R"(normalizer "NFKC")"},
    {"normalizer_list", With(R"("normalizer":[])"), "normalizer is an array"},
    {"normalizer_no_type", With(R"("normalizer":{})"), "normalizer.type is missing"},
    {"replace_regex",
     With(R"("normalizer":{"type":"Replace","pattern":{"Regex":" "},"content":"x"})"),
     R"(member "Regex" of normalizer.pattern)"},
    {"replace_other",
     With(R"("normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"b"})"),
     R"(normalizer.pattern.String "a")"},
    {"bert_flag", With(R"("normalizer":{"type":"BertNormalizer","lowercase":"yes"})"),
     "normalizer.lowercase is a string, not true or false"},
    // Pre-tokenizers.
    {"pre_tokenizer_type", With(R"("pre_tokenizer":{"type":"Whitespace"})"),
     R"(pre_tokenizer "Whitespace")"},
    {"prefix_space", With(R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true})"),
     "pre_tokenizer.add_prefix_space true"},
    {"no_regex",
     With(R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":false})"),
     "pre_tokenizer.use_regex false"},
    {"sequence", With(R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits"}]})"),
     R"(Sequence of "Digits")"},
    {"pattern",
     With(R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","behavior":)"
          R"("Isolated","invert":false,"pattern":{"Regex":"\\d+"}},{"type":"ByteLevel",)"
          R"("add_prefix_space":false,"use_regex":false}]})"),
     R"(pre_tokenizer.pretokenizers[0].pattern.Regex "\d+")"},
    {"split_behavior",
     With(R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","behavior":)"
          R"("Removed","pattern":{"Regex":"x"}},{"type":"ByteLevel","add_prefix_space":false,)"
          R"("use_regex":false}]})"),
     R"(pre_tokenizer.pretokenizers[0].behavior "Removed")"},
    {"metaspace_first",
     With(R"("pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"})"),
     R"(pre_tokenizer.prepend_scheme "first")"},
    {"metaspace_whole",
     With(R"("pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always",)"
          R"("split":false})"),
     "pre_tokenizer.split false"},
    // Models.
    {"no_model", R"({"version":"1.0"})", "model is missing"},
    {"unigram", With("", R"({"type":"Unigram","vocab":[["a",0.5]]})"), "Unigram"},
    {"word_level", With("", R"({"type":"WordLevel","vocab":{"a":0}})"), R"(model "WordLevel")"},
    {"model_member", With("", R"({"type":"BPE","vocab":{},"merges":[],"cache":1})"),
     R"(member "cache" of model)"},
    {"dropout", With("", R"({"type":"BPE","dropout":0.1,"vocab":{},"merges":[]})"),
     "model.dropout"},
    {"prefix", With("", R"({"type":"BPE","continuing_subword_prefix":"@","vocab":{},"merges":[]})"),
     "model.continuing_subword_prefix"},
    {"suffix", With("", R"({"type":"BPE","end_of_word_suffix":"</w>","vocab":{},"merges":[]})"),
     "model.end_of_word_suffix"},
    {"no_vocab", With("", R"({"type":"BPE","merges":[]})"), "model.vocab"},
    {"vocab_true", With("", R"({"type":"BPE","vocab":true,"merges":[]})"),
     "model.vocab is a boolean"},
    {"no_merges", With("", R"({"type":"BPE","vocab":{}})"), "model.merges"},
    {"id_text", With("", R"({"type":"BPE","vocab":{"a":"0"},"merges":[]})"), "id of token 0"},
    {"id_fraction", With("", R"({"type":"BPE","vocab":{"a":0.5},"merges":[]})"), "id of token 0"},
    {"id_huge", With("", R"({"type":"BPE","vocab":{"a":2000000000},"merges":[]})"),
     "out of bounds"},
    {"id_negative", With("", R"({"type":"BPE","vocab":{"a":-1},"merges":[]})"), "out of bounds"},
    {"id_repeated", With("", R"({"type":"BPE","vocab":{"a":0,"b":0},"merges":[]})"),
     "id of an earlier token"},
    {"token_repeated", With("", R"({"type":"BPE","vocab":{"a":0,"a":1},"merges":[]})"),
     "stands twice"},
    {"merge_unknown", With("", R"({"type":"BPE","vocab":{"a":0},"merges":["a b"]})"),
     "merge 0 joins a token that is not in model.vocab"},
    {"merge_result", With("", R"({"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b"]})"),
     "merge 0 makes a token that is not in model.vocab"},
    {"merge_spaces", With("", R"({"type":"BPE","vocab":{"a":0},"merges":["a  a"]})"), "merge 0 is"},
    {"merge_three", With("", R"({"type":"BPE","vocab":{"a":0},"merges":[["a","a","a"]]})"),
     "merge"},
    {"merge_number", With("", R"({"type":"BPE","vocab":{"a":0},"merges":[1]})"), "merge 0 is"},
    {"unknown_token", With("", R"({"type":"BPE","unk_token":"?","vocab":{"a":0},"merges":[]})"),
     R"(model.unk_token "?")"},
    {"bytes_twice",
     With(R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false})",
          R"({"type":"BPE","byte_fallback":true,"vocab":{"a":0},"merges":[]})"),
     "model.byte_fallback"},
    {"bpe_bert", With(R"("pre_tokenizer":{"type":"BertPreTokenizer"})"), "BertPreTokenizer"},
    {"word_piece_alone", With("", kWordPiece), "BertPreTokenizer"},
    // Added tokens and decoders.
    {"added_object", With(R"("added_tokens":{})"), "added_tokens is an object"},
    {"added_empty", With(R"("added_tokens":[{"id":9,"content":""}])"), "added_tokens[0].content"},
    {"added_id", With(R"("added_tokens":[{"id":-9,"content":"x"}])"), "added_tokens[0].id"},
    {"added_taken", With(R"("added_tokens":[{"id":1,"content":"x"}])"),
     "which model.vocab gives to another token"},
    {"added_moved", With(R"("added_tokens":[{"id":9,"content":"a"}])"), "model.vocab gives it 0"},
    {"added_twice", With(R"("added_tokens":[{"id":9,"content":"x"},{"id":8,"content":"x"}])"),
     "stands twice"},
    {"added_long",
     With(R"("added_tokens":[{"id":9,"content":")" + std::string(300000, 'x') + R"("}])"),
     "256 KiB"},
    {"added_spelled", With(R"("added_tokens":[{"id":2,"content":"ab","special":true}])"),
     "the model makes it from plain text"},
    {"decoder", With(R"("decoder":{"type":"CTC"})"), R"(decoder "CTC")"},
    {"decoders", With(R"("decoder":{"type":"Sequence","decoders":[{"type":"Fuse"}]})"),
     R"(decoder Sequence of "Fuse")"},
};

class Refusal : public testing::TestWithParam<Case> {};

TEST_P(Refusal, NamesTheFault) {
  const Result<Tokenizer> tokenizer = Tokenizer::FromJson(GetParam().json, "bad/tokenizer.json");
  ASSERT_FALSE(tokenizer);
  EXPECT_EQ(tokenizer.error().code, ErrorCode::kModel);
  EXPECT_EQ(tokenizer.error().path, "bad/tokenizer.json");
  EXPECT_THAT(tokenizer.error().message, HasSubstr(GetParam().message));
  EXPECT_LT(tokenizer.error().message.size(), 400u);
}

INSTANTIATE_TEST_SUITE_P(Loader, Refusal, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Loader, TheCasesDifferFromAFileThatLoads) {
  EXPECT_TRUE(Tokenizer::FromJson(With(""), "good"));
  EXPECT_TRUE(Tokenizer::FromJson(
      With(R"("pre_tokenizer":{"type":"BertPreTokenizer"},"padding":{"x":[1]},"post_processor":{})",
           kWordPiece),
      "good"));
}

TEST(Loader, AMissingFileIsNamed) {
  const Result<Tokenizer> tokenizer = Tokenizer::FromFile("/no/such/tokenizer.json");
  ASSERT_FALSE(tokenizer);
  EXPECT_EQ(tokenizer.error().code, ErrorCode::kModel);
  EXPECT_EQ(tokenizer.error().path, "/no/such/tokenizer.json");
}

// Every prefix of a file is refused or, where only white space is missing, loads.
TEST(Loader, TruncatedFilesAreRefused) {
  const std::string json =
      With(R"("normalizer":{"type":"NFC"},"added_tokens":[{"id":9,"content":"x"}])");
  for (size_t size = 0; size < json.size(); ++size) {
    EXPECT_FALSE(Tokenizer::FromJson(json.substr(0, size), "cut")) << size;
  }
}

}  // namespace
}  // namespace dikast::text_test
