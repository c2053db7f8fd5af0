// Servers with a small model, in the process of the test.
#pragma once

#include <memory>
#include <string>

#include "dikast/server.h"

namespace dikast::test {

// A sanitizer's own memory and descriptors would be counted with the server's.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer) ||
                                   __has_feature(thread_sanitizer) ||
                                   __has_feature(undefined_behavior_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

inline constexpr char kAsk[] =
    R"({"state":"hi","questions":{"q":{"type":"noul","instructions":"Is it a greeting?"}}})";

// On a free port of 127.0.0.1, one thread, no log; ready when it returns.
ServerOptions TinyOptions();
std::unique_ptr<Server> StartTiny(const ServerOptions& options);

// A file of keys that its owner alone may read; removed with the object.
class KeysFile {
 public:
  explicit KeysFile(const std::string& text, unsigned mode = 0600);
  ~KeysFile();
  void Write(const std::string& text, unsigned mode = 0600);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dikast::test
