// Tokenizers and vectors for the tests of this layer.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/json.h"
#include "dikast/tokenizer.h"

namespace dikast::text_test {

inline constexpr const char* kAllTokenizers[] = {"modernbert", "qwen3", "gemma2", "mmbert",
                                                 "bert-uncased"};

// A GoogleTest name for a tokenizer.
std::string TestName(std::string name);

// The text of a tokenizer.json; nothing where Gemma's file is needed and not here.
std::optional<std::string> TokenizerJson(std::string_view name);

// Loaded once a process; null where its file is not here.
const Tokenizer* FindTokenizer(std::string_view name);

// The objects of a JSON Lines file in tests/data/text, gzip or not.
std::vector<JsonValue> ReadRows(const std::filesystem::path& file);

std::vector<int32_t> Ids(const JsonValue& array);
const std::string& Text(const JsonValue& row, std::string_view key);

// Encode that must succeed.
std::vector<int32_t> EncodeOrDie(const Tokenizer& tokenizer, std::string_view text,
                                 AddedTokens mode);

// A tokenizer from JSON that must load.
Tokenizer LoadOrDie(std::string_view json);

}  // namespace dikast::text_test

#define SKIP_WITHOUT_TOKENIZER(tokenizer, name)                                       \
  if (!(tokenizer)) {                                                                 \
    GTEST_SKIP() << (name) << ": set DIKAST_TOKENIZERS to a folder that holds gemma2" \
                 << ".tokenizer.json.gz";                                             \
  }
