#include "tests/decision/words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.h"

namespace dikast {
namespace {

constexpr const char* kTokenizerFile = "words.tokenizer.json";

std::map<int32_t, std::string> ReadTokens() {
  std::map<int32_t, std::string> tokens;
  const JsonValue json = ParseJson(ReadTestFile(kTokenizerFile)).value();
  for (const JsonMember& member : *json.Find("model")->Find("vocab")->AsObject()) {
    tokens[static_cast<int32_t>(*member.value.AsNumber()->ToInteger())] = member.key;
  }
  return tokens;
}

}  // namespace

std::string ReadTestFile(const std::string& name) {
  const auto file = std::filesystem::path(DIKAST_TEST_DATA) / "decision" / name;
  Result<std::string> text = ReadFile(file, size_t{1} << 26);
  EXPECT_TRUE(text) << file;
  return text.value_or("");
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

const Tokenizer& WordTokenizer() {
  static const Tokenizer tokenizer =
      Tokenizer::FromJson(ReadTestFile(kTokenizerFile), kTokenizerFile).value();
  return tokenizer;
}

SequenceRules WordRules(uint32_t max_len, uint32_t head_max_len) {
  const Tokenizer& tokenizer = WordTokenizer();
  return {.max_len = max_len,
          .head_max_len = head_max_len,
          .cls = *tokenizer.TokenToId("[CLS]"),
          .sep = *tokenizer.TokenToId("[SEP]"),
          .mask = *tokenizer.TokenToId("[MASK]"),
          .mask_literal = "[MASK]",
          .truncate_left = false};
}

std::string WordsOf(const std::vector<int32_t>& ids) {
  static const std::map<int32_t, std::string> tokens = ReadTokens();
  std::string words;
  for (const int32_t id : ids) words += (words.empty() ? "" : " ") + tokens.at(id);
  return words;
}

}  // namespace dikast
