#pragma once

#include <string_view>

#include "dikast/json.h"

namespace dikast::test {

// Puts `value` where the JSON Pointer says; the last member may be new, and "-" appends to an
// array. Throws std::runtime_error when there is no such place.
void SetAt(JsonValue& root, std::string_view pointer, JsonValue value);
void DeleteAt(JsonValue& root, std::string_view pointer);

// Null when there is no such place.
const JsonValue* FindAt(const JsonValue& root, std::string_view pointer);

}  // namespace dikast::test
