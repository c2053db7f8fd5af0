// The safetensors container: 8-byte header length, JSON header, tensor bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "dikast/status.h"

namespace dikast {

struct SafeTensor {
  std::string dtype;  // "F32", "F16", "BF16", "U32", ...
  std::vector<uint64_t> shape;
  uint64_t begin = 0, end = 0;       // data_offsets, counted from the end of the header
  std::span<const std::byte> bytes;  // into the file; no alignment is promised
};

using TensorMap = std::map<std::string, SafeTensor, std::less<>>;

// The tensors of a file that is already in memory: views into `bytes`, in the order of their names.
// Every offset and size is checked against `bytes`; tensors neither overlap nor leave holes.
// `name` stands for the file in errors. Errors: kModel, naming the tensor and both sizes.
Result<TensorMap> ParseSafeTensors(std::span<const std::byte> bytes, const std::string& name);

// "[3, 4]", for messages.
std::string ShapeText(std::span<const uint64_t> shape);

// A mapped file and its tensors. Move-only; the views live as long as the object.
class SafeTensors {
 public:
  static Result<SafeTensors> Open(const std::filesystem::path& file);

  const TensorMap& tensors() const { return tensors_; }
  uint64_t file_bytes() const { return file_.bytes().size(); }

 private:
  SafeTensors(MappedFile file, TensorMap tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {}
  MappedFile file_;
  TensorMap tensors_;
};

}  // namespace dikast
