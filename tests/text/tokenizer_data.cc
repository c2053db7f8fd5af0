#include "tests/text/tokenizer_data.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

namespace dikast::text_test {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(DIKAST_TEST_DATA) / "text";

// Reads gzip and plain files alike.
std::string ReadUnpacked(const fs::path& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (!file) return text;
  char buffer[1 << 16];
  for (int n; (n = gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  gzclose(file);
  return text;
}

void ReplaceOnce(std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// mmBERT's file is Gemma's with Metaspace words and a mask that swallows white space.
std::string MmbertFromGemma(std::string json) {
  ReplaceOnce(json, R"("pre_tokenizer":null)",
              R"("pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always",)"
              R"("split":true})");
  ReplaceOnce(json,
              R"("content":"<mask>","single_word":false,"lstrip":false,"rstrip":false,)"
              R"("normalized":false,"special":false)",
              R"("content":"<mask>","single_word":false,"lstrip":true,"rstrip":false,)"
              R"("normalized":false,"special":true)");
  return json;
}

}  // namespace

std::string TestName(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

std::optional<std::string> TokenizerJson(std::string_view name) {
  const bool gemma = name == "gemma2" || name == "mmbert";
  const char* shared = std::getenv("DIKAST_TOKENIZERS");
  if (gemma && !shared) return std::nullopt;
  const fs::path folder = gemma ? fs::path(shared) : kFolder;
  std::string file = gemma ? "gemma2" : std::string(name);
  std::string json = ReadUnpacked(folder / (file + ".tokenizer.json.gz"));
  if (json.empty()) return std::nullopt;
  return name == "mmbert" ? MmbertFromGemma(std::move(json)) : std::move(json);
}

const Tokenizer* FindTokenizer(std::string_view name) {
  static std::map<std::string, std::optional<Tokenizer>, std::less<>> loaded;
  auto found = loaded.find(name);
  if (found == loaded.end()) {
    found = loaded.emplace(name, std::nullopt).first;
    if (const auto json = TokenizerJson(name)) {
      Result<Tokenizer> tokenizer = Tokenizer::FromJson(*json, name);
      EXPECT_TRUE(tokenizer) << tokenizer.error().message;
      if (tokenizer) found->second = *std::move(tokenizer);
    }
  }
  return found->second ? &*found->second : nullptr;
}

std::vector<JsonValue> ReadRows(const fs::path& file) {
  std::vector<JsonValue> rows;
  std::istringstream lines(ReadUnpacked(kFolder / file));
  for (std::string line; std::getline(lines, line);) {
    Result<JsonValue> row = ParseJson(line);
    EXPECT_TRUE(row) << file << ": " << row.error().message;
    if (row) rows.push_back(*std::move(row));
  }
  EXPECT_FALSE(rows.empty()) << file;
  return rows;
}

std::vector<int32_t> Ids(const JsonValue& array) {
  std::vector<int32_t> ids;
  for (const JsonValue& id : *array.AsArray()) {
    ids.push_back(static_cast<int32_t>(*id.AsNumber()->ToInteger()));
  }
  return ids;
}

const std::string& Text(const JsonValue& row, std::string_view key) {
  return *row.Find(key)->AsString();
}

std::vector<int32_t> EncodeOrDie(const Tokenizer& tokenizer, std::string_view text,
                                 AddedTokens mode) {
  std::vector<int32_t> ids;
  const Result<void> encoded = tokenizer.Encode(text, mode, ids);
  EXPECT_TRUE(encoded) << encoded.error().message;
  return ids;
}

Tokenizer LoadOrDie(std::string_view json) {
  Result<Tokenizer> tokenizer = Tokenizer::FromJson(json, "test.json");
  if (!tokenizer) {
    ADD_FAILURE() << tokenizer.error().message << " in " << json;
    std::abort();
  }
  return *std::move(tokenizer);
}

}  // namespace dikast::text_test
