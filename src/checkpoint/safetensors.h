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
  std::span<const std::byte> bytes;  // into the mapping
};

// Every offset and size was checked against the file; tensors do not overlap or leave holes.
class SafeTensors {
 public:
  // Errors: kModel with the file name, the tensor's name and both sizes.
  static Result<SafeTensors> Open(const std::filesystem::path& file);
  static Result<SafeTensors> Parse(std::span<const std::byte> bytes, const std::string& name,
                                   std::map<std::string, SafeTensor, std::less<>>& tensors);

  const std::map<std::string, SafeTensor, std::less<>>& tensors() const { return tensors_; }
  const SafeTensor* Find(std::string_view name) const;
  const std::filesystem::path& path() const { return path_; }
  uint64_t file_bytes() const { return file_.bytes().size(); }

 private:
  explicit SafeTensors(MappedFile file) : file_(std::move(file)) {}
  MappedFile file_;
  std::filesystem::path path_;
  std::map<std::string, SafeTensor, std::less<>> tensors_;
};

}  // namespace dikast
