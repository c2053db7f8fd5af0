// The few habits of Python's str and repr that show in prompts, answer keys and messages.
#pragma once

#include <string>
#include <string_view>

#include "dikast/json.h"

namespace dikast {

// str.strip(): without white space (as Python's Unicode tables have it) at both ends.
std::string_view StripSpace(std::string_view utf8);
inline bool IsBlank(std::string_view utf8) { return StripSpace(utf8).empty(); }

// repr() of a string: quotes chosen, control and format characters escaped. For messages: a text of
// more than 120 bytes is cut and ends in "...", and what is no UTF-8 becomes U+FFFD.
std::string PythonRepr(std::string_view text);

// str() of a scalar as a dict key's text: "True", "1.5", "nan"; strings as they are.
// `value` is a string, a number of at most 4,300 digits or a boolean.
std::string PythonStr(const JsonValue& value);

// Equal for scalars that are one key of a Python dict: 1, 1.0 and true are; "1" and 1 are not.
std::string PythonKey(const JsonValue& value);

}  // namespace dikast
