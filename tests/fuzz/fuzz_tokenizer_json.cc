// A tokenizer.json of any bytes: loads or is refused by name; what loads encodes and decodes.
#include <cstdlib>
#include <string_view>
#include <vector>

#include "dikast/tokenizer.h"
#include "tests/fuzz/largest_allocation.h"

namespace {

constexpr std::string_view kText =
    "Hello  world\n\n\tdon't <mask> [MASK] caf\xC3\xA9 e\xCC\x81 \xE6\x97\xA5\xE6\x9C\xAC "
    "\xF0\x9F\x98\x8A 12345 \xE2\x96\x81\xE2\x96\x81<h1>";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dikast::AllocationLimit limit(size);
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = dikast::Tokenizer::FromJson(json, "fuzz.json");
  if (!tokenizer) {
    if (tokenizer.error().message.empty()) std::abort();
    return 0;
  }
  for (const auto mode : {dikast::AddedTokens::kText, dikast::AddedTokens::kMatch}) {
    std::vector<int32_t> ids;
    if (!tokenizer->Encode(kText, mode, ids)) std::abort();
    if (ids.size() > 4 * kText.size()) std::abort();
    (void)tokenizer->Decode(ids);
  }
  return 0;
}
