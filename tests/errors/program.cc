#include "tests/errors/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace dikast::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLimit(30);  // a sanitizer build on a busy machine takes a second

// A folder beside the one under test, for the three streams: files never block.
struct Streams {
  explicit Streams(const fs::path& folder) : path(folder.string() + "-streams") {
    fs::create_directory(path);
  }
  ~Streams() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string Read(const char* name) const {
    std::ifstream in(path / name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  fs::path path;
};

// Null-terminated, as posix_spawn wants it.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Ours without what would change an answer, and the row's.
std::vector<std::string> Environment(const Run& run, const fs::path& folder) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("DIKAST_")) variables.emplace_back(*variable);
  }
  for (const auto& [name, value] : run.environment) {
    variables.push_back(name + "=" + FillIn(value, folder));
  }
  return variables;
}

pid_t Spawn(const Run& run, const fs::path& folder, const Streams& streams) {
  std::vector<std::string> arguments = {DIKAST_PROGRAM};
  for (const std::string& argument : run.arguments) arguments.push_back(FillIn(argument, folder));
  std::vector<std::string> environment = Environment(run, folder);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto open = [&](int descriptor, const char* name, int flags) {
    posix_spawn_file_actions_addopen(&actions, descriptor, (streams.path / name).c_str(), flags,
                                     0600);
  };
  open(STDIN_FILENO, "in", O_RDONLY);
  open(STDOUT_FILENO, "out", O_WRONLY | O_CREAT);
  open(STDERR_FILENO, "err", O_WRONLY | O_CREAT);
  pid_t child = -1;
  const int failed = posix_spawn(&child, DIKAST_PROGRAM, &actions, nullptr,
                                 Pointers(arguments).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " DIKAST_PROGRAM);
  return child;
}

int WaitFor(pid_t child) {
  int status = 0;
  for (const Clock::time_point end = Clock::now() + kLimit; Clock::now() < end;) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

std::string FillIn(std::string text, const fs::path& folder) {
  constexpr std::string_view kPlaceholder = "{folder}";
  const size_t at = text.find(kPlaceholder);
  return at == text.npos ? text : text.replace(at, kPlaceholder.size(), folder.string());
}

Outcome RunProgram(const Run& run, const fs::path& folder) {
  const Streams streams(folder);
  std::ofstream(streams.path / "in", std::ios::binary) << Bytes(run.input);
  const int status = WaitFor(Spawn(run, folder, streams));
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          .out = streams.Read("out"),
          .err = streams.Read("err")};
}

}  // namespace dikast::test
