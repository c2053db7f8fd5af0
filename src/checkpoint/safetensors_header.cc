#include "checkpoint/safetensors_header.h"

#include <charconv>

#include "base/json_events.h"
#include "base/quote.h"

namespace dikast {
namespace {

constexpr size_t kMaxRank = 8;

class HeaderHandler : public JsonHandler {
 public:
  explicit HeaderHandler(const std::string& file) : file_(file) {}

  bool BeginObject() override {
    if (place_ == Place::kStart) return Enter(Place::kFile);
    if (place_ != Place::kFile) return Unexpected("an object");
    return Enter(tensor_ ? Place::kTensor : Place::kMetadata);
  }

  bool EndObject() override {
    if (place_ == Place::kTensor && !HasAllParts()) return false;
    return Enter(Place::kFile);
  }

  bool BeginArray() override {
    if (place_ == Place::kTensor && key_ == "shape") return Enter(Place::kShape);
    if (place_ == Place::kTensor && key_ == "data_offsets") return Enter(Place::kOffsets);
    return Unexpected("an array");
  }

  bool EndArray() override {
    if (place_ == Place::kOffsets && offsets_ != 2) {
      return Reject("data_offsets hold " + std::to_string(offsets_) +
                    " numbers where 2 are needed");
    }
    return Enter(Place::kTensor);
  }

  bool Key(std::string_view key) override {
    if (place_ == Place::kFile) return StartTensor(key);
    if (place_ == Place::kMetadata) return true;
    if (key != "dtype" && key != "shape" && key != "data_offsets") {
      return Reject("it has the unknown member " + Quote(key));
    }
    key_ = key;
    bool& seen = key == "dtype" ? dtype_seen_ : key == "shape" ? shape_seen_ : offsets_seen_;
    if (seen) return Reject("it has two members " + Quote(key));
    return seen = true;
  }

  bool String(std::string_view text) override {
    if (place_ == Place::kMetadata) return true;
    if (place_ != Place::kTensor || key_ != "dtype") return Unexpected(Quote(text));
    tensor_->dtype = text;
    return true;
  }

  bool Number(std::string_view spelling) override {
    if (place_ != Place::kShape && place_ != Place::kOffsets) return Unexpected("a number");
    uint64_t value = 0;
    const char* end = spelling.data() + spelling.size();
    const auto [at, error] = std::from_chars(spelling.data(), end, value);
    if (at != end || error != std::errc()) {
      return Reject(key_ + " holds " + Quote(spelling) +
                    " where a whole number from 0 to 2^64 - 1 is needed");
    }
    return place_ == Place::kShape ? AddDimension(value) : AddOffset(value);
  }

  bool Bool(bool) override { return Unexpected("a boolean"); }
  bool Null() override { return Unexpected("null"); }
  Error error() const override { return error_; }

  TensorMap Take() { return std::move(tensors_); }

 private:
  enum class Place { kStart, kFile, kMetadata, kTensor, kShape, kOffsets };

  bool Enter(Place place) {
    place_ = place;
    return true;
  }

  bool Reject(const std::string& message) {
    const std::string where = name_.empty() ? "the header: " : "tensor " + Quote(name_) + ": ";
    error_ = {ErrorCode::kModel, where + message, file_};
    return false;
  }

  bool Unexpected(const std::string& found) {
    const bool in_tensor = place_ != Place::kStart && place_ != Place::kFile;
    return Reject("found " + found + (in_tensor && !key_.empty() ? " in " + key_ : "") +
                  "; it should map names to {\"dtype\", \"shape\", \"data_offsets\"}");
  }

  bool StartTensor(std::string_view name) {
    name_ = name;
    key_.clear();
    dtype_seen_ = shape_seen_ = offsets_seen_ = false;
    offsets_ = 0;
    tensor_ = nullptr;
    if (name == "__metadata__") return true;
    const auto [at, fresh] = tensors_.try_emplace(name_);
    tensor_ = &at->second;
    return fresh || Reject("the header has two tensors of this name");
  }

  bool HasAllParts() {
    if (!dtype_seen_) return Reject("the header gives no dtype");
    if (!shape_seen_) return Reject("the header gives no shape");
    return offsets_seen_ || Reject("the header gives no data_offsets");
  }

  bool AddDimension(uint64_t size) {
    if (tensor_->shape.size() == kMaxRank) {
      return Reject("the shape has more than " + std::to_string(kMaxRank) + " dimensions");
    }
    tensor_->shape.push_back(size);
    return true;
  }

  bool AddOffset(uint64_t offset) {
    (offsets_++ == 0 ? tensor_->begin : tensor_->end) = offset;
    return true;
  }

  const std::string& file_;
  TensorMap tensors_;
  Error error_;
  Place place_ = Place::kStart;
  std::string name_, key_;        // of the tensor, and of its member
  SafeTensor* tensor_ = nullptr;  // null in __metadata__
  bool dtype_seen_ = false, shape_seen_ = false, offsets_seen_ = false;
  size_t offsets_ = 0;
};

}  // namespace

Result<TensorMap> ParseSafeTensorsHeader(std::string_view header, const std::string& file) {
  HeaderHandler handler(file);
  if (auto parsed = ParseJsonEvents(header, JsonDialect::kStrict, handler); !parsed) {
    Error error = std::move(parsed).error();
    if (error.path != file) error.message = "the header is " + error.message;
    return Fail(ErrorCode::kModel, std::move(error.message), file);
  }
  return handler.Take();
}

}  // namespace dikast
