#include "cli/output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "cli/exit.h"

namespace dikast::cli {
namespace {

// A process that shares our pipe or terminal may have made it non-blocking for all.
void WaitUntilWritable(int descriptor) {
  pollfd waiting{descriptor, POLLOUT, 0};
  poll(&waiting, 1, -1);
}

// Whether all of `text` was written; errno says why not.
bool TryWrite(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      WaitUntilWritable(descriptor);
      continue;
    }
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

void WriteAll(int descriptor, std::string_view text, const std::string& name) {
  if (TryWrite(descriptor, text)) return;
  if (errno == EPIPE) throw Exit{kAnswered};
  Quit({ErrorCode::kModel, std::string("cannot write: ") + std::strerror(errno), name});
}

void Print(std::string_view text) { WriteAll(STDOUT_FILENO, text, "standard output"); }

void WriteFile(const std::filesystem::path& file, std::string_view text) {
  const Descriptor out(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (out.get() < 0) Quit({ErrorCode::kModel, std::strerror(errno), file.string()});
  WriteAll(out.get(), text, file.string());
}

void PrintError(std::string_view text) { TryWrite(STDERR_FILENO, text); }

}  // namespace dikast::cli
