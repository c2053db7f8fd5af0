// The JSON header of a safetensors file.
#pragma once

#include <string>
#include <string_view>

#include "checkpoint/safetensors.h"

namespace dikast {

// {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ..., "__metadata__": {...}}.
// Read as events: a hostile header costs no more memory than its tensors have names. Sizes are as
// written, not yet checked; `bytes` is empty. Errors: kModel.
Result<TensorMap> ParseSafeTensorsHeader(std::string_view header, const std::string& file);

}  // namespace dikast
