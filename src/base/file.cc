#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/try.h"

namespace dikast {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

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
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(opened.descriptor.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemFailure(file, "cannot read the file");
    if (n == 0) break;  // it shrank while we read
    done += static_cast<size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace dikast
