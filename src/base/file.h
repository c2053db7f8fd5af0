// Files as bytes: mapped for weights, read whole for configurations.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "dikast/status.h"

namespace dikast {

// A read-only private mapping. Move-only; the bytes live as long as the object.
class MappedFile {
 public:
  // Errors: kModel with the file name and the system's reason.
  static Result<MappedFile> Open(const std::filesystem::path& file);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, size_t size) : data_(data), size_(size) {}
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// The whole file; refuses one over `limit` bytes before reading it. Errors: kModel.
Result<std::string> ReadFile(const std::filesystem::path& file, size_t limit);

}  // namespace dikast
