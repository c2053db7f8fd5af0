#include "tests/server/test_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace dikast::test {

ServerOptions TinyOptions() {
  ServerOptions options;
  options.engine.model = DIKAST_SOURCE_DIR "/models/dikast-mini-v1";
  options.engine.threads = 1;
  options.port = 0;
  options.log_level = "off";
  return options;
}

std::unique_ptr<Server> StartTiny(const ServerOptions& options) {
  Result<std::unique_ptr<Server>> server = Server::Start(options);
  EXPECT_TRUE(server.has_value()) << (server ? "" : server.error().message);
  if (!server) return nullptr;
  const Result<void> ready = (*server)->WaitUntilReady();
  EXPECT_TRUE(ready.has_value()) << (ready ? "" : ready.error().message);
  return *std::move(server);
}

KeysFile::KeysFile(const std::string& text, unsigned mode) {
  path_ = (std::filesystem::temp_directory_path() / "dikast-keys-XXXXXX").string();
  close(mkstemp(path_.data()));
  Write(text, mode);
}

KeysFile::~KeysFile() { std::filesystem::remove(path_); }

void KeysFile::Write(const std::string& text, unsigned mode) {
  std::ofstream(path_) << text;
  chmod(path_.c_str(), static_cast<mode_t>(mode));
}

}  // namespace dikast::test
