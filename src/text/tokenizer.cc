#include "dikast/tokenizer.h"

#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/try.h"
#include "text/json_component.h"
#include "text/pretokenize.h"
#include "text/tokenizer_json.h"
#include "text/word_cache.h"

namespace dikast {
namespace {

constexpr size_t kMaxFile = 512 << 20;  // Gemma's largest is 34 MB
constexpr size_t kLongText = 1 << 20;   // a thread keeps no memory of the size of a longer text

// Memory that one thread uses again for every text.
struct Scratch {
  std::string normalized, spaced, word;
  NormalizationBuffer code_points;
  BpeScratch bpe;
  WordCache words;
};

Scratch& ThreadScratch() {
  thread_local Scratch scratch;
  return scratch;
}

// With U+2581 for every space.
void AppendWithMetaspaces(std::string_view text, std::string& out) {
  for (size_t space = text.find(' '); space != std::string_view::npos; space = text.find(' ')) {
    out.append(text.substr(0, space)).append(kLowerOneEighthBlock);
    text.remove_prefix(space + 1);
  }
  out.append(text);
}

// The result lives in `text` or in `scratch.normalized`.
std::string_view Normalized(std::string_view text, const Normalizer& normalizer, Scratch& scratch) {
  std::string& out = scratch.normalized;
  out.clear();
  if (const auto* bert = std::get_if<BertNormalizer>(&normalizer)) {
    bert->Append(text, scratch.code_points, out);
    return out;
  }
  if (std::holds_alternative<MetaspaceNormalizer>(normalizer)) {
    AppendWithMetaspaces(text, out);
    return out;
  }
  if (!std::holds_alternative<NfcNormalizer>(normalizer) || !MayChangeUnderNfc(text)) return text;
  AppendNfc(text, scratch.code_points, out);
  return out;
}

// With U+2581 for every space, and at the start.
std::string_view StartingWithMetaspace(std::string_view text, std::string& out) {
  out.clear();
  if (!text.starts_with(kLowerOneEighthBlock) && !text.starts_with(' ')) out = kLowerOneEighthBlock;
  AppendWithMetaspaces(text, out);
  return out;
}

template <class Sink>
void ForEachWord(PreTokenizer pre_tokenizer, std::string_view text, Scratch& scratch, Sink&& sink) {
  switch (pre_tokenizer) {
    case PreTokenizer::kNone:
      return sink(text);
    case PreTokenizer::kSpaceRuns:
      return ForEachSpaceRunWord(text, sink);
    case PreTokenizer::kBert:
      return ForEachBertWord(text, sink);
    case PreTokenizer::kGpt2:
      return ForEachMatch(text, MatchGpt2, sink);
    case PreTokenizer::kQwen:
      return ForEachMatch(text, MatchQwen, sink);
    case PreTokenizer::kMetaspace:
      return ForEachMetaspaceWord(StartingWithMetaspace(text, scratch.spaced), sink);
  }
}

}  // namespace

struct Tokenizer::Impl {
  // The added tokens looked for in the raw text, and in the normalised text between those.
  struct Matchers {
    AddedTokenMatcher raw, normalized;
    void Add(const AddedToken& token, const Normalizer& normalizer, Scratch& scratch) {
      if (token.normalized) {
        normalized.Add(Normalized(token.content, normalizer, scratch), token);
      } else {
        raw.Add(token.content, token);
      }
    }
  };

  explicit Impl(TokenizerSpec s) : spec(std::move(s)) {
    Scratch scratch;
    for (const AddedToken& token : spec.added_tokens) {
      match.Add(token, spec.normalizer, scratch);
      if (IsPlainText(token)) text.Add(token, spec.normalizer, scratch);
      added.emplace(token.content, &token);
      added_by_id.emplace(token.id, &token);
      added_only += !spec.vocabulary.HasId(token.id);
    }
  }

  Result<void> Encode(std::string_view utf8, AddedTokens mode, std::vector<int32_t>& ids) const {
    const size_t invalid = FirstInvalidUtf8(utf8);
    if (invalid != std::string_view::npos) {
      return Fail(ErrorCode::kRequest, "the text is not valid UTF-8: see the byte at offset " +
                                           std::to_string(invalid) +
                                           ", and convert the text to UTF-8");
    }
    Scratch& scratch = ThreadScratch();
    scratch.words.Claim(identity);
    const Matchers& matchers = mode == AddedTokens::kMatch ? match : text;
    const auto id_sink = [&ids](int32_t id) { ids.push_back(id); };
    const auto part_sink = [&](std::string_view part) { EncodePart(part, scratch, ids); };
    const auto raw_sink = [&](std::string_view part) {
      matchers.normalized.Split(Normalized(part, spec.normalizer, scratch), part_sink, id_sink);
    };
    matchers.raw.Split(utf8, raw_sink, id_sink);
    if (utf8.size() > kLongText) scratch = Scratch();
    return {};
  }

  void EncodePart(std::string_view part, Scratch& scratch, std::vector<int32_t>& ids) const {
    ForEachWord(spec.pre_tokenizer, part, scratch, [&](std::string_view word) {
      const std::span<const int32_t> known = scratch.words.Find(word);
      if (known.size() == 1) return ids.push_back(known[0]);
      if (!known.empty()) {
        ids.insert(ids.end(), known.begin(), known.end());
        return;
      }
      const size_t before = ids.size();
      EncodeWord(word, scratch, ids);
      scratch.words.Store(word, std::span(ids).subspan(before));
    });
  }

  void EncodeWord(std::string_view word, Scratch& scratch, std::vector<int32_t>& ids) const {
    if (const auto* bpe = std::get_if<Bpe>(&spec.model)) {
      bpe->Encode(spec.vocabulary, word, scratch.bpe, ids);
    } else {
      std::get<WordPiece>(spec.model).Encode(spec.vocabulary, word, scratch.word, ids);
    }
  }

  // A special token that user text could still become, by merges or as a word; null as a rule.
  const AddedToken* FirstSpellable() const {
    std::vector<int32_t> ids;
    for (const AddedToken& token : spec.added_tokens) {
      ids.clear();
      if (!token.special || !Encode(token.content, AddedTokens::kText, ids)) continue;
      if (ids.size() == 1 && ids[0] == token.id && !IsUnknown(token.id)) return &token;
    }
    return nullptr;
  }

  // The model gives this id to what it does not know.
  bool IsUnknown(int32_t id) const {
    const auto* word_piece = std::get_if<WordPiece>(&spec.model);
    return id == (word_piece ? word_piece->unknown : std::get<Bpe>(spec.model).unknown());
  }

  TokenizerSpec spec;
  Matchers text, match;                                           // AddedTokens::kText, ::kMatch
  std::unordered_map<std::string_view, const AddedToken*> added;  // by content
  std::unordered_map<int32_t, const AddedToken*> added_by_id;
  // Names this tokenizer in the word caches of threads, which outlive it.
  std::shared_ptr<const char> identity = std::make_shared<const char>();
  size_t added_only = 0;  // added tokens that are not in the model's vocabulary
};

Tokenizer::Tokenizer(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::FromFile(const std::filesystem::path& file) {
  DIKAST_TRY(const std::string json, ReadFile(file, kMaxFile));
  return FromJson(json, file.string());
}

Result<Tokenizer> Tokenizer::FromJson(std::string_view json, std::string_view name) {
  DIKAST_TRY(TokenizerSpec spec, ParseTokenizerJson(json, name));
  auto impl = std::make_unique<const Impl>(std::move(spec));
  if (const AddedToken* token = impl->FirstSpellable()) {
    return Fail(ErrorCode::kModel,
                "added token " + Quoted(token->content) +
                    " is special, but the model makes it from plain text: not supported",
                std::string(name));
  }
  return Tokenizer(std::move(impl));
}

Result<void> Tokenizer::Encode(std::string_view utf8, AddedTokens mode,
                               std::vector<int32_t>& ids) const {
  return impl_->Encode(utf8, mode, ids);
}

std::string Tokenizer::Decode(std::span<const int32_t> ids, DecodedTokens special) const {
  std::vector<std::string_view> tokens;
  tokens.reserve(ids.size());
  for (const int32_t id : ids) {
    const auto added = impl_->added_by_id.find(id);
    if (added == impl_->added_by_id.end()) {
      if (impl_->spec.vocabulary.HasId(id)) tokens.push_back(impl_->spec.vocabulary.Token(id));
    } else if (!added->second->special || special == DecodedTokens::kKeep) {
      tokens.push_back(added->second->content);
    }
  }
  return impl_->spec.decoder.Decode(tokens);
}

std::optional<int32_t> Tokenizer::TokenToId(std::string_view token) const {
  const auto added = impl_->added.find(token);
  if (added != impl_->added.end()) return added->second->id;
  const int32_t id = impl_->spec.vocabulary.Find(token);
  return id == Vocabulary::kNone ? std::nullopt : std::optional(id);
}

size_t Tokenizer::vocabulary_size() const {
  return impl_->spec.vocabulary.size() + impl_->added_only;
}

}  // namespace dikast
