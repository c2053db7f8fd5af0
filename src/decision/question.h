// One question as sent, read and rendered. laya-format.md, sections 2.1 to 2.3.
#pragma once

#include <string>

#include "dikast/decision.h"

namespace dikast {

// Most options of a choice and levels of a score; the reference sets no limit.
inline constexpr size_t kMaxOptions = 255;

// `id` is the question's key. Errors: kRequest; the message starts with "question '<id>': ", the
// path is that of the member at fault.
Result<Question> ParseQuestion(const std::string& id, const JsonValue& definition, bool reference);

// A text value: a string as it is, anything else as Python's json.dumps writes it.
Result<std::string> RenderText(const JsonValue& value);

}  // namespace dikast
