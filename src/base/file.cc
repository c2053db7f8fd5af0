#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/try.h"

namespace dikast {
namespace {

struct OpenFile {
  Descriptor descriptor;
  size_t size;
};

tl::unexpected<Error> SystemFailure(const std::filesystem::path& file, const char* what) {
  return Fail(ErrorCode::kModel, std::string(what) + ": " + std::generic_category().message(errno),
              file.string());
}

Result<OpenFile> OpenRegular(const std::filesystem::path& file) {
  // O_NONBLOCK: a named pipe in the place of a file is refused, not waited for.
  Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0) return SystemFailure(file, "cannot open the file");
  struct stat status = {};
  if (::fstat(descriptor.get(), &status) != 0) return SystemFailure(file, "cannot read the file");
  if (!S_ISREG(status.st_mode)) {
    return Fail(ErrorCode::kModel, "this is no regular file", file.string());
  }
  return OpenFile{std::move(descriptor), static_cast<size_t>(status.st_size)};
}

}  // namespace

Result<MappedFile> MappedFile::Open(const std::filesystem::path& file) {
  DIKAST_TRY(const OpenFile opened, OpenRegular(file));
  if (opened.size == 0) return MappedFile(nullptr, 0);
  void* data = ::mmap(nullptr, opened.size, PROT_READ, MAP_PRIVATE, opened.descriptor.get(), 0);
  if (data == MAP_FAILED) return SystemFailure(file, "cannot map the file");
  return MappedFile(static_cast<const std::byte*>(data), opened.size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

Result<std::string> ReadFile(const std::filesystem::path& file, size_t limit) {
  DIKAST_TRY(const OpenFile opened, OpenRegular(file));
  if (opened.size > limit) {
    return Fail(ErrorCode::kModel,
                "the file has " + std::to_string(opened.size) + " bytes; at most " +
                    std::to_string(limit) + " are read",
                file.string());
  }
  std::string bytes(opened.size, '\0');
  const ssize_t count = ReadFull(opened.descriptor.get(), bytes);
  if (count < 0) return SystemFailure(file, "cannot read the file");
  bytes.resize(static_cast<size_t>(count));
  return bytes;
}

}  // namespace dikast
