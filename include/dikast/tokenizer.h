// Text to token ids, as a Hugging Face tokenizer.json (format 1.0) describes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/status.h"

namespace dikast {

// What to do when text spells an added token.
enum class AddedTokens {
  kText,   // control tokens ([MASK], <think>, [unused7], ...) are plain characters; white-space
           // runs and Gemma's HTML tags still match
  kMatch,  // every added token matches, as in the reference
};

// Whether decoding keeps [UNK], [SEP] and the like. The official package keeps them in its windows.
enum class DecodedTokens { kSkip, kKeep };

// Immutable after loading: any number of threads may encode with one Tokenizer.
class Tokenizer {
 public:
  // Errors: kModel, naming the file and the unsupported or malformed part.
  static Result<Tokenizer> FromFile(const std::filesystem::path& file);
  // `name` stands for the file in error messages.
  static Result<Tokenizer> FromJson(std::string_view json, std::string_view name);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // Appends the ids of `utf8` to `ids`; template tokens ([CLS], <bos>), padding and truncation are
  // never applied. Allocates only to grow `ids` and a per-thread scratch buffer.
  // Errors: kRequest for invalid UTF-8, with the byte offset; `ids` is then unchanged.
  Result<void> Encode(std::string_view utf8, AddedTokens mode, std::vector<int32_t>& ids) const;

  // The text of `ids`, as the reference decodes it. Unknown ids give nothing.
  std::string Decode(std::span<const int32_t> ids,
                     DecodedTokens special = DecodedTokens::kSkip) const;

  std::optional<int32_t> TokenToId(std::string_view token) const;
  size_t vocabulary_size() const;  // added tokens included

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace dikast
