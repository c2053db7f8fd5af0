#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

void PrintError(std::string_view text) { TryWrite(STDERR_FILENO, text); }

}  // namespace dikast::cli
