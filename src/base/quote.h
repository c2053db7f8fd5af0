// Names and values from a file, made safe for an error message.
#pragma once

#include <string>
#include <string_view>

#include "dikast/json.h"

namespace dikast {

// `text` as a JSON string, cut to 120 bytes at a character's edge.
std::string Quote(std::string_view text);

// A number as spelled, a quoted string, "true", or the kind of value: "an array".
std::string Describe(const JsonValue& value);

}  // namespace dikast
