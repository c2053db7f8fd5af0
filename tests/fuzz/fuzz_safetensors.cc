// A model.safetensors of any bytes: every view that comes back lies inside the file.
#include <cstdlib>
#include <span>

#include "checkpoint/safetensors.h"
#include "tests/fuzz/largest_allocation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dikast::AllocationLimit limit(size);
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto tensors = dikast::ParseSafeTensors(bytes, "fuzz.safetensors");
  if (!tensors) return tensors.error().message.empty() ? (std::abort(), 0) : 0;
  for (const auto& [name, tensor] : *tensors) {
    if (tensor.bytes.empty()) continue;
    if (tensor.bytes.data() < bytes.data()) std::abort();
    if (tensor.bytes.data() + tensor.bytes.size() > bytes.data() + bytes.size()) std::abort();
  }
  return 0;
}
