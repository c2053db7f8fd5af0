// What `dikast info` says of a model and the machine, for other commands too.
#pragma once

#include <string>

#include "dikast/engine.h"

namespace dikast::cli {

// One JSON object.
std::string FormatInfo(const ModelInfo& info);

}  // namespace dikast::cli
