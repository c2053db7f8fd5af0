// Reads a Hugging Face tokenizer.json (format 1.0) into what the rest of this layer runs. Whatever
// the file asks for and this layer does not do is an error that names it.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "dikast/status.h"
#include "text/added_tokens.h"
#include "text/bert_normalizer.h"
#include "text/bpe.h"
#include "text/decode.h"
#include "text/vocabulary.h"
#include "text/wordpiece.h"

namespace dikast {

struct NfcNormalizer {};
struct MetaspaceNormalizer {};  // U+2581 for every space
using Normalizer = std::variant<std::monostate, NfcNormalizer, MetaspaceNormalizer, BertNormalizer>;

enum class PreTokenizer {
  kNone,       // the whole text is one word
  kSpaceRuns,  // none either, but the model allows a cut before every run of U+2581
  kBert,
  kGpt2,       // ByteLevel with its own pattern
  kQwen,       // Split with the Qwen pattern, then ByteLevel without one
  kMetaspace,  // U+2581 before every text, cut before every U+2581
};

using Model = std::variant<Bpe, WordPiece>;

struct TokenizerSpec {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer = PreTokenizer::kNone;
  Vocabulary vocabulary;
  Model model;
  std::vector<AddedToken> added_tokens;
  Decoder decoder;
};

// Errors: kModel; `name` (the file) is their path.
Result<TokenizerSpec> ParseTokenizerJson(std::string_view json, std::string_view name);

}  // namespace dikast
