#include "text/tokenizer_json.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/try.h"
#include "text/json_component.h"
#include "text/pretokenize.h"
#include "text/tokenizer_file.h"

namespace dikast {
namespace {

// Long enough for any real token, short enough for the tries that are built from them.
constexpr size_t kMaxAddedTokenBytes = 256 << 10;

// A Replace of one literal by another; others than the wanted one are refused.
Result<void> CheckReplace(const Component& part, std::string_view from, std::string_view to) {
  DIKAST_CHECK_OK(part.Allow({"type", "pattern", "content"}));
  DIKAST_TRY(const Component pattern, part.Open("pattern"));
  DIKAST_CHECK_OK(pattern.Allow({"String"}));
  DIKAST_CHECK_OK(pattern.RequireString("String", from));
  return part.RequireString("content", to);
}

Result<BertNormalizer> ReadBertNormalizer(const Component& part) {
  DIKAST_CHECK_OK(
      part.Allow({"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}));
  BertNormalizer bert;
  DIKAST_TRY(bert.clean_text, part.Bool("clean_text", true));
  DIKAST_TRY(bert.handle_chinese_chars, part.Bool("handle_chinese_chars", true));
  DIKAST_TRY(bert.lowercase, part.Bool("lowercase", true));
  DIKAST_TRY(bert.strip_accents, part.Bool("strip_accents", bert.lowercase));
  return bert;
}

Result<Normalizer> ReadNormalizer(const Component& file) {
  if (!file.Find("normalizer")) return Normalizer();
  DIKAST_TRY(const Component part, file.Open("normalizer"));
  DIKAST_TRY(const std::string type, part.String("type"));
  if (type == "NFC") {
    DIKAST_CHECK_OK(part.Allow({"type"}));
    return Normalizer(NfcNormalizer());
  }
  if (type == "Replace") {
    DIKAST_CHECK_OK(CheckReplace(part, " ", kLowerOneEighthBlock));
    return Normalizer(MetaspaceNormalizer());
  }
  if (type == "BertNormalizer") return ReadBertNormalizer(part);
  return Refuse("normalizer ", Quoted(type),
                " is not supported, only NFC, Replace and BertNormalizer");
}

Result<void> CheckByteLevel(const Component& part, bool use_regex) {
  DIKAST_CHECK_OK(part.Allow({"type", "add_prefix_space", "trim_offsets", "use_regex"}));
  DIKAST_CHECK_OK(part.Require("add_prefix_space", false, true));
  return part.Require("use_regex", use_regex, true);
}

Result<PreTokenizer> ReadSplit(const Component& part) {
  DIKAST_CHECK_OK(part.Allow({"type", "pattern", "behavior", "invert"}));
  DIKAST_CHECK_OK(part.RequireString("behavior", "Isolated"));
  DIKAST_CHECK_OK(part.Require("invert", false, false));
  DIKAST_TRY(const Component pattern, part.Open("pattern"));
  DIKAST_CHECK_OK(pattern.Allow({"Regex"}));
  DIKAST_TRY(const std::string regex, pattern.String("Regex"));
  if (regex == kQwenPattern) return PreTokenizer::kQwen;
  if (regex == kGpt2Pattern) return PreTokenizer::kGpt2;
  return Refuse(pattern.Where("Regex"), " ", Quoted(regex),
                " is not supported, only the patterns of GPT-2 and Qwen");
}

Result<PreTokenizer> ReadMetaspace(const Component& part) {
  DIKAST_CHECK_OK(part.Allow(
      {"type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"}));
  DIKAST_CHECK_OK(part.RequireString("replacement", kLowerOneEighthBlock));
  DIKAST_CHECK_OK(part.RequireString("prepend_scheme", "always"));
  DIKAST_CHECK_OK(part.Require("split", true, true));
  return PreTokenizer::kMetaspace;
}

Result<PreTokenizer> ReadPreTokenizer(const Component& file) {
  if (!file.Find("pre_tokenizer")) return PreTokenizer::kNone;
  DIKAST_TRY(const Component part, file.Open("pre_tokenizer"));
  DIKAST_TRY(const std::string type, part.String("type"));
  if (type == "BertPreTokenizer") return PreTokenizer::kBert;
  if (type == "Metaspace") return ReadMetaspace(part);
  if (type == "ByteLevel") {
    DIKAST_CHECK_OK(CheckByteLevel(part, true));
    return PreTokenizer::kGpt2;
  }
  if (type == "Sequence") {
    DIKAST_TRY(const std::vector<Component> parts,
               part.OpenSequence("pretokenizers", {"Split", "ByteLevel"}));
    DIKAST_CHECK_OK(CheckByteLevel(parts[1], false));
    return ReadSplit(parts[0]);
  }
  return Refuse("pre_tokenizer ", Quoted(type),
                " is not supported, only BertPreTokenizer, ByteLevel, Metaspace, and a Sequence of "
                "Split and ByteLevel");
}

Result<Decoder> ReadDecoder(const Component& file) {
  if (!file.Find("decoder")) return Decoder();
  DIKAST_TRY(const Component part, file.Open("decoder"));
  DIKAST_TRY(const std::string type, part.String("type"));
  Decoder decoder;
  if (type == "ByteLevel") {
    decoder.kind = Decoder::Kind::kByteLevel;
    return decoder;
  }
  if (type == "WordPiece") {
    decoder.kind = Decoder::Kind::kWordPiece;
    DIKAST_CHECK_OK(part.Allow({"type", "prefix", "cleanup"}));
    DIKAST_TRY(decoder.prefix, part.String("prefix"));
    DIKAST_TRY(decoder.cleanup, part.Bool("cleanup", true));
    return decoder;
  }
  if (type == "Sequence") {
    decoder.kind = Decoder::Kind::kByteFallback;
    DIKAST_TRY(const std::vector<Component> parts,
               part.OpenSequence("decoders", {"Replace", "ByteFallback", "Fuse"}));
    DIKAST_CHECK_OK(CheckReplace(parts[0], kLowerOneEighthBlock, " "));
    return decoder;
  }
  return Refuse("decoder ", Quoted(type),
                " is not supported, only ByteLevel, WordPiece, and a Sequence of Replace, "
                "ByteFallback and Fuse");
}

// The id of model.unk_token, or kNone when there is none.
Result<int32_t> ReadUnknown(const Component& model, const Vocabulary& vocabulary) {
  if (!model.Find("unk_token")) return Vocabulary::kNone;
  DIKAST_TRY(const std::string token, model.String("unk_token"));
  const int32_t id = vocabulary.Find(token);
  if (id == Vocabulary::kNone)
    return Refuse("model.unk_token ", Quoted(token), " is not in model.vocab");
  return id;
}

Result<void> CheckDropout(const Component& model) {
  const JsonValue* dropout = model.Find("dropout");
  if (!dropout || (dropout->AsNumber() && dropout->AsNumber()->ToDouble() == 0)) return {};
  return Refuse("model.dropout is not supported: ids would be random");
}

// ReadTokenizerFile has put true where the list stood.
Result<void> RequireList(const Component& model, std::string_view key, std::string_view kind) {
  const JsonValue* list = model.Find(key);
  if (!list) return Refuse(model.Where(key), " is missing");
  if (list->AsBool() && *list->AsBool()) return {};
  return Refuse(model.Where(key), " is ", list->KindName(), ", not ", kind);
}

Result<Model> ReadBpe(const Component& model, const TokenizerFile& file, PreTokenizer words) {
  DIKAST_CHECK_OK(model.Allow({"type", "dropout", "unk_token", "continuing_subword_prefix",
                               "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges",
                               "vocab", "merges"}));
  DIKAST_CHECK_OK(CheckDropout(model));
  DIKAST_CHECK_OK(model.RequireAbsent("continuing_subword_prefix"));
  DIKAST_CHECK_OK(model.RequireAbsent("end_of_word_suffix"));
  DIKAST_CHECK_OK(RequireList(model, "merges", "an array"));
  if (words == PreTokenizer::kBert) {
    return Refuse("model BPE with pre_tokenizer BertPreTokenizer is not supported");
  }
  BpeOptions options;
  options.byte_level = words == PreTokenizer::kGpt2 || words == PreTokenizer::kQwen;
  DIKAST_TRY(options.byte_fallback, model.Bool("byte_fallback", false));
  DIKAST_TRY(options.fuse_unknown, model.Bool("fuse_unk", false));
  DIKAST_TRY(options.ignore_merges, model.Bool("ignore_merges", false));
  DIKAST_TRY(options.unknown, ReadUnknown(model, file.vocabulary));
  if (options.byte_level && options.byte_fallback) {
    return Refuse("model.byte_fallback with a ByteLevel pre_tokenizer is not supported");
  }
  return Bpe::Build(file.vocabulary, file.merges, options);
}

Result<Model> ReadWordPiece(const Component& model, const TokenizerFile& file, PreTokenizer words) {
  DIKAST_CHECK_OK(model.Allow(
      {"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"}));
  if (words != PreTokenizer::kBert) {
    return Refuse("model WordPiece is supported with pre_tokenizer BertPreTokenizer only");
  }
  WordPiece word_piece;
  DIKAST_TRY(word_piece.continuing_prefix, model.String("continuing_subword_prefix"));
  DIKAST_TRY(const int32_t most, model.Integer("max_input_chars_per_word"));
  word_piece.max_characters = static_cast<size_t>(most);
  DIKAST_TRY(word_piece.unknown, ReadUnknown(model, file.vocabulary));
  if (word_piece.unknown == Vocabulary::kNone) return Refuse("model.unk_token is missing");
  return word_piece;
}

Result<Model> ReadModel(const Component& top, TokenizerFile& file, PreTokenizer words) {
  DIKAST_TRY(const Component model, top.Open("model"));
  DIKAST_TRY(const std::string type, model.String("type"));
  if (type != "BPE" && type != "WordPiece") {
    return Refuse("model ", Quoted(type), " is not supported, only BPE and WordPiece");
  }
  DIKAST_CHECK_OK(RequireList(model, "vocab", "an object"));
  DIKAST_CHECK_OK(file.vocabulary.Build());
  return type == "BPE" ? ReadBpe(model, file, words) : ReadWordPiece(model, file, words);
}

Result<AddedToken> ReadAddedToken(const JsonValue& value, size_t index) {
  DIKAST_TRY(const Component part,
             Component::Of(value, "added_tokens[" + std::to_string(index) + "]"));
  DIKAST_CHECK_OK(
      part.Allow({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"}));
  AddedToken token;
  DIKAST_TRY(token.id, part.Integer("id"));
  DIKAST_TRY(token.content, part.String("content"));
  DIKAST_TRY(token.single_word, part.Bool("single_word", false));
  DIKAST_TRY(token.lstrip, part.Bool("lstrip", false));
  DIKAST_TRY(token.rstrip, part.Bool("rstrip", false));
  DIKAST_TRY(token.special, part.Bool("special", false));
  DIKAST_TRY(token.normalized, part.Bool("normalized", !token.special));
  if (token.content.empty()) return Refuse(part.Where("content"), " is empty");
  return token;
}

// A token of the model keeps its id, and no id has two tokens.
Result<void> CheckAddedToken(const AddedToken& token, const Vocabulary& vocabulary) {
  const int32_t known = vocabulary.Find(token.content);
  if (known == token.id || (known == Vocabulary::kNone && !vocabulary.HasId(token.id))) return {};
  return Refuse("added token ", Quoted(token.content), " has id ", std::to_string(token.id),
                known == Vocabulary::kNone ? ", which model.vocab gives to another token"
                                           : ", but model.vocab gives it " + std::to_string(known));
}

Result<std::vector<AddedToken>> ReadAddedTokens(const Component& top,
                                                const Vocabulary& vocabulary) {
  std::vector<AddedToken> tokens;
  const JsonValue* list = top.Find("added_tokens");
  if (!list) return tokens;
  if (!list->AsArray()) return Refuse("added_tokens is ", list->KindName(), ", not an array");
  std::unordered_set<std::string_view> contents;
  std::unordered_set<int32_t> ids;
  size_t bytes = 0;
  tokens.reserve(list->AsArray()->size());  // the views in `contents` stay valid
  for (const JsonValue& value : *list->AsArray()) {
    DIKAST_TRY(AddedToken token, ReadAddedToken(value, tokens.size()));
    DIKAST_CHECK_OK(CheckAddedToken(token, vocabulary));
    bytes += token.content.size();
    if (bytes > kMaxAddedTokenBytes) return Refuse("added_tokens hold over 256 KiB of text");
    tokens.push_back(std::move(token));
    if (!contents.insert(tokens.back().content).second || !ids.insert(tokens.back().id).second) {
      return Refuse("added token ", Quoted(tokens.back().content), " or its id stands twice");
    }
  }
  return tokens;
}

// Padding, truncation and the template of the post-processor are the caller's business.
Result<TokenizerSpec> Interpret(TokenizerFile file) {
  DIKAST_TRY(const Component top, Component::Of(file.rest, ""));
  DIKAST_CHECK_OK(top.Allow({"version", "truncation", "padding", "added_tokens", "normalizer",
                             "pre_tokenizer", "post_processor", "decoder", "model"}));
  DIKAST_CHECK_OK(top.RequireString("version", "1.0"));
  TokenizerSpec spec;
  DIKAST_TRY(spec.normalizer, ReadNormalizer(top));
  DIKAST_TRY(spec.pre_tokenizer, ReadPreTokenizer(top));
  DIKAST_TRY(spec.decoder, ReadDecoder(top));
  DIKAST_TRY(spec.model, ReadModel(top, file, spec.pre_tokenizer));
  const Bpe* bpe = std::get_if<Bpe>(&spec.model);
  if (spec.pre_tokenizer == PreTokenizer::kNone && bpe && bpe->CutsBeforeSpaceRuns()) {
    spec.pre_tokenizer = PreTokenizer::kSpaceRuns;
  }
  DIKAST_TRY(spec.added_tokens, ReadAddedTokens(top, file.vocabulary));
  spec.vocabulary = std::move(file.vocabulary);
  return spec;
}

}  // namespace

Result<TokenizerSpec> ParseTokenizerJson(std::string_view json, std::string_view name) {
  const auto at_file = [name](Error error) {
    if (!error.path.empty()) error.message += " (at " + error.path + ")";
    return Error{ErrorCode::kModel, std::move(error.message), std::string(name)};
  };
  Result<TokenizerFile> file = ReadTokenizerFile(json);
  if (!file) return tl::unexpected(at_file(std::move(file).error()));
  return Interpret(*std::move(file)).map_error(at_file);
}

}  // namespace dikast
