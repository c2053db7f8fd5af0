// The two halves of a tokenizer.json: the long lists, streamed into their tables, and the small
// rest as a tree.
#pragma once

#include <string_view>

#include "dikast/json.h"
#include "dikast/status.h"
#include "text/bpe.h"
#include "text/vocabulary.h"

namespace dikast {

struct TokenizerFile {
  JsonValue rest;         // model.vocab and model.merges are `true` where the file has them
  Vocabulary vocabulary;  // not built yet
  MergeList merges;
};

// Errors: kRequest or kModel, without a path.
Result<TokenizerFile> ReadTokenizerFile(std::string_view json);

}  // namespace dikast
