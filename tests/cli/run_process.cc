#include "tests/cli/run_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>

namespace dikast::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kDeadline(90);

[[noreturn]] void Become(const Script& script) {
  setpgid(0, 0);
  if (chdir(script.folder.c_str()) != 0) _exit(126);
  for (const auto& [name, value] : script.environment) setenv(name.c_str(), value.c_str(), 1);
  execl("/bin/sh", "sh", "-c", script.text.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

// False at the end of the stream. A terminal whose other side is closed says EIO.
bool ReadSome(int descriptor, std::string& text) {
  char buffer[4096];
  const ssize_t count = read(descriptor, buffer, sizeof buffer);
  if (count <= 0) return count < 0 && errno == EINTR;
  text.append(buffer, static_cast<size_t>(count));
  return true;
}

int Reap(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Reads both streams to their ends, or kills the script's process group at the deadline.
ProcessResult Collect(pid_t child, int out, int err) {
  ProcessResult result;
  pollfd streams[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[] = {&result.out, &result.err};
  const Clock::time_point deadline = Clock::now() + kDeadline;
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || poll(streams, 2, static_cast<int>(left.count())) == 0) {
      kill(-child, SIGKILL);
      result.err += "\n(killed at the deadline)";
      break;
    }
    for (int i = 0; i < 2; ++i) {
      if (streams[i].revents != 0 && !ReadSome(streams[i].fd, *texts[i])) streams[i].fd = -1;
    }
  }
  close(out);
  if (err >= 0) close(err);
  result.exit_code = Reap(child);
  return result;
}

ProcessResult RunOnTerminal(const Script& script) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(script.columns);
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) Become(script);
  return Collect(child, master, -1);
}

ProcessResult RunOnPipes(const Script& script) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    Become(script);
  }
  close(out[1]);
  close(err[1]);
  return Collect(child, out[0], err[0]);
}

}  // namespace

ProcessResult RunScript(const Script& script) {
  return script.columns > 0 ? RunOnTerminal(script) : RunOnPipes(script);
}

}  // namespace dikast::test
