#include "tests/fuzz/tiny_app.h"

#include <cstdio>
#include <cstdlib>

namespace dikast {
namespace {

ServerOptions TinyOptions() {
  ServerOptions options;
  options.engine.model = DIKAST_SOURCE_DIR "/models/dikast-mini-v1";
  options.engine.threads = 1;
  options.engine.max_len = 96;
  options.limits.header_bytes = 4096;
  options.limits.body_bytes = options.limits.decoded_bytes = 64 << 10;
  options.limits.questions = 4;
  options.limits.states = 2;
  options.limits.options = 32;
  return options;
}

}  // namespace

server::App& TinyApp() {
  static auto* app = [] {
    auto* made = new server::App(TinyOptions(), "127.0.0.1", Log::Open(LogLevel::kOff, {}).value(),
                                 [] { return size_t{0}; });
    if (!made->Load()) std::abort();
    return made;
  }();
  return *app;
}

void RequireGoodAnswer(unsigned status, const std::string& content_type, const std::string& body) {
  const bool fault = status >= 500 && status != 503 && status != 529;
  const bool json = !content_type.starts_with("application/json") || ParseJson(body).has_value();
  if (!fault && json) return;
  std::fprintf(stderr, "status %u: %s\n", status, body.c_str());
  std::abort();
}

}  // namespace dikast
