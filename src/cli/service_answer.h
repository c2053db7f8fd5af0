// A System One body, read back into answers: for tables and short texts.
#pragma once

#include <string_view>

#include "dikast/decision.h"

namespace dikast::cli {

// Fills model, input tokens, and of each answer what the body says; plans stay empty.
// Errors: kInternal, with the JSON Pointer of what is missing or of another kind.
Result<Response> ReadSystemOne(const Request& request, std::string_view body);

}  // namespace dikast::cli
