#include "tests/decision/tokenizers.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "tests/decision/words.h"

namespace dikast {
namespace {

std::string FileOf(const std::string& name) {
  const std::map<std::string, std::string> files = {
      {"bert", "bert-uncased"}, {"modernbert", "modernbert"}, {"mmbert", "gemma2"}};
  return files.at(name) + ".tokenizer.json.gz";
}

std::filesystem::path Locate(const std::string& file) {
  const auto data = std::filesystem::path(DIKAST_TEST_DATA);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().filename() == file) return entry.path();
  }
  const char* folder = std::getenv("DIKAST_TOKENIZERS");
  if (folder && std::filesystem::exists(std::filesystem::path(folder) / file)) {
    return std::filesystem::path(folder) / file;
  }
  return {};
}

std::string Unpack(const std::filesystem::path& file) {
  std::string text;
  std::vector<char> buffer(1 << 20);
  gzFile stream = gzopen(file.c_str(), "rb");
  for (int count; (count = gzread(stream, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  gzclose(stream);
  return text;
}

void Replace(std::string& text, size_t from, std::string_view what, std::string_view with) {
  const size_t at = text.find(what, from);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), with);
}

// The two changes that turn Gemma's file into mmBERT's.
std::string ToMmBert(std::string gemma) {
  const size_t mask = gemma.find(R"("content":"<mask>")");
  Replace(gemma, mask, R"("lstrip":false)", R"("lstrip":true)");
  Replace(gemma, mask, R"("special":false)", R"("special":true)");
  Replace(
      gemma, 0, R"("pre_tokenizer":null)",
      R"("pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true})");
  return gemma;
}

std::unique_ptr<Tokenizer> Load(const std::string& name) {
  const std::filesystem::path file = Locate(FileOf(name));
  if (file.empty()) return nullptr;
  std::string json = Unpack(file);
  if (name == "mmbert") json = ToMmBert(std::move(json));
  Result<Tokenizer> tokenizer = Tokenizer::FromJson(json, file.string());
  EXPECT_TRUE(tokenizer) << tokenizer.error().message;
  return tokenizer ? std::make_unique<Tokenizer>(*std::move(tokenizer)) : nullptr;
}

}  // namespace

const Tokenizer* FindTokenizer(const std::string& name) {
  if (name == "words") return &WordTokenizer();
  static std::map<std::string, std::unique_ptr<Tokenizer>> loaded;
  const auto known = loaded.find(name);
  if (known != loaded.end()) return known->second.get();
  return loaded.emplace(name, Load(name)).first->second.get();
}

SequenceRules TokenizerRules(const std::string& name) {
  if (name == "words") return WordRules(512, 192);
  if (name == "bert") {
    return {.max_len = 512,
            .head_max_len = 256,
            .cls = 101,
            .sep = 102,
            .mask = 103,
            .mask_literal = "[MASK]"};
  }
  if (name == "mmbert") {
    return {.max_len = 1024,
            .head_max_len = 256,
            .cls = 2,
            .sep = 1,
            .mask = 4,
            .mask_literal = "<mask>"};
  }
  return {.max_len = 512,
          .head_max_len = 192,
          .cls = 50281,
          .sep = 50282,
          .mask = 50284,
          .mask_literal = "[MASK]"};
}

}  // namespace dikast
