#pragma once

#include <string>

#include "dikast/json.h"

namespace dikast::test {

// Where and how `actual` does not contain `expected`; empty when it does. Objects may have more
// members, arrays may not. Numbers with a fraction may differ by 1e-4, the bound of the FP32 path.
std::string JsonDifference(const JsonValue& expected, const JsonValue& actual,
                           const std::string& path = "");

}  // namespace dikast::test
