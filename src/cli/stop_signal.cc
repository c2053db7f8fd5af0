#include "cli/stop_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace dikast::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

// A handler can reach nothing else than globals.
volatile std::sig_atomic_t g_received = 0;
int g_pipe[2] = {-1, -1};

void OnSignal(int signal) {
  g_received = signal;
  [[maybe_unused]] const ssize_t ignored = write(g_pipe[1], "", 1);
}

}  // namespace

StopSignal::StopSignal() {
  g_received = 0;
  if (pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  for (const int signal : kSignals) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = OnSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (const int signal : kSignals) {
    struct sigaction current {};
    sigaction(signal, nullptr, &current);
    if (current.sa_handler == OnSignal) std::signal(signal, SIG_DFL);
  }
  close(g_pipe[0]);
  close(g_pipe[1]);
  g_pipe[0] = g_pipe[1] = -1;
}

int StopSignal::received() const { return g_received; }
int StopSignal::descriptor() const { return g_pipe[0]; }

}  // namespace dikast::cli
