#include "text/tokenizer_file.h"

#include <charconv>
#include <string>

#include "base/json_events.h"
#include "base/json_writer.h"
#include "base/try.h"

namespace dikast {
namespace {

// Everything but the vocabulary and the merges: 6,400 added tokens take 0.8 MB. A tree of JSON
// values is several times its text, so a hostile file must not fill it.
constexpr size_t kMaxRest = 1 << 20;

class FileReader final : public JsonHandler {
 public:
  bool BeginObject() override {
    if (AtValueOf("vocab")) return Enter(Part::kVocabulary);
    if (part_ != Part::kRest) return RefuseItem();
    return Forward(2, [&] { rest_.BeginObject(), ++depth_; });
  }
  bool EndObject() override {
    if (part_ == Part::kVocabulary) return Leave();
    return Forward(0, [&] { rest_.EndObject(), --depth_; });
  }
  bool BeginArray() override {
    if (AtValueOf("vocab")) {
      return Refuse(
          "model.vocab is an array, as in a Unigram model; supported are BPE and WordPiece");
    }
    if (AtValueOf("merges")) return Enter(Part::kMerges);
    if (part_ == Part::kMerges && !in_pair_) return in_pair_ = true;
    if (part_ != Part::kRest) return RefuseItem();
    return Forward(2, [&] { rest_.BeginArray(), ++depth_; });
  }
  bool EndArray() override {
    if (part_ == Part::kMerges) return in_pair_ ? EndPair() : Leave();
    return Forward(0, [&] { rest_.EndArray(), --depth_; });
  }
  bool Key(std::string_view key) override {
    key_ = key;
    if (part_ == Part::kVocabulary) return true;
    if (depth_ == 1) in_model_ = key == "model";
    return Forward(key.size() + 4, [&] { rest_.Key(key); });
  }
  bool String(std::string_view text) override {
    if (part_ == Part::kMerges) return in_pair_ ? AddSide(text) : AddSpelled(text);
    if (part_ != Part::kRest) return RefuseItem();
    return Forward(text.size() + 3, [&] { rest_.String(text); });
  }
  bool Number(std::string_view spelling) override {
    if (part_ == Part::kVocabulary) return AddToken(spelling);
    if (part_ != Part::kRest) return RefuseItem();
    return Forward(spelling.size() + 1, [&] { rest_.Raw(spelling); });
  }
  bool Bool(bool value) override {
    if (part_ != Part::kRest) return RefuseItem();
    if (AtValueOf("vocab") || AtValueOf("merges")) {  // true would read as a list that was there
      return Refuse("model." + key_ + " is a boolean");
    }
    return Forward(5, [&] { rest_.Bool(value); });
  }
  bool Null() override {
    if (part_ != Part::kRest) return RefuseItem();
    return Forward(5, [&] { rest_.Null(); });
  }
  Error error() const override { return error_; }

  Result<TokenizerFile> Take() && {
    DIKAST_TRY(file_.rest, ParseJson(rest_.Take()));
    return std::move(file_);
  }

 private:
  enum class Part { kRest, kVocabulary, kMerges };

  bool AtValueOf(std::string_view list) const {
    return part_ == Part::kRest && in_model_ && depth_ == 2 && key_ == list;
  }
  bool Enter(Part part) {
    part_ = part;
    rest_.Bool(true);
    return true;
  }
  bool Leave() {
    part_ = Part::kRest;
    return true;
  }

  template <class Write>
  bool Forward(size_t size, const Write& write) {
    rest_size_ += size;
    if (rest_size_ > kMaxRest) {
      return Refuse("the file holds over 1 MiB besides model.vocab and model.merges");
    }
    write();
    return true;
  }

  bool AddToken(std::string_view spelling) {
    int32_t id = 0;
    const char* end = spelling.data() + spelling.size();
    const auto parsed = std::from_chars(spelling.data(), end, id);
    if (parsed.ec != std::errc() || parsed.ptr != end) return RefuseItem();
    file_.vocabulary.Add(key_, id);
    return true;
  }

  bool AddSpelled(std::string_view merge) {
    const size_t space = merge.find(' ');
    if (space == std::string_view::npos || merge.find(' ', space + 1) != std::string_view::npos) {
      return RefuseItem();
    }
    return AddMerge(merge.substr(0, space), merge.substr(space + 1));
  }
  bool AddSide(std::string_view side) {
    if (++sides_ > 2) return RefuseItem();
    if (sides_ == 2) return AddMerge(left_, side);
    left_ = side;
    return true;
  }
  bool AddMerge(std::string_view left, std::string_view right) {
    if (left.empty() || right.empty()) return RefuseItem();
    file_.merges.Add(left, right);
    return true;
  }
  bool EndPair() {
    if (sides_ != 2) return RefuseItem();
    sides_ = 0;
    in_pair_ = false;
    return true;
  }

  bool RefuseItem() {
    if (part_ == Part::kVocabulary) {
      return Refuse("model.vocab: the id of token " + std::to_string(file_.vocabulary.size()) +
                    " is not a 32-bit integer");
    }
    return Refuse("model.merges: merge " + std::to_string(file_.merges.size()) +
                  R"( is neither "left right" with one space nor ["left", "right"])");
  }
  bool Refuse(std::string message) {
    error_ = {ErrorCode::kModel, std::move(message), {}};
    return false;
  }

  TokenizerFile file_;
  JsonWriter rest_;
  size_t rest_size_ = 0;
  Part part_ = Part::kRest;
  int depth_ = 0;          // of the rest
  bool in_model_ = false;  // the last key at depth 1 was "model"
  std::string key_;
  bool in_pair_ = false;  // inside ["left", "right"]
  int sides_ = 0;
  std::string left_;
  Error error_;
};

}  // namespace

Result<TokenizerFile> ReadTokenizerFile(std::string_view json) {
  FileReader reader;
  DIKAST_CHECK_OK(ParseJsonEvents(json, JsonDialect::kStrict, reader));
  return std::move(reader).Take();
}

}  // namespace dikast
