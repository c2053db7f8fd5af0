// The three configuration files, told apart by the first byte: read, or refused with the file's
// name.
#include <cstdlib>
#include <string_view>

#include "checkpoint/config.h"
#include "checkpoint/weights.h"
#include "tests/fuzz/largest_allocation.h"

namespace {

template <class T>
void RequireMessage(const dikast::Result<T>& result) {
  if (!result && (result.error().message.empty() || result.error().path.empty())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const dikast::AllocationLimit limit(size);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'l':
      RequireMessage(dikast::ParseLayaConfig(text, "rl_agent_config.json"));
      break;
    case 'e':
      RequireMessage(dikast::ParseEncoderConfig(text, "encoder/config.json"));
      break;
    default:
      RequireMessage(dikast::ParseSpecialTokens(text, {}, "tokenizer_config.json"));
  }
  return 0;
}
