// Answers for people: one block a question, a bar an option.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "dikast/decision.h"

namespace dikast::cli {

// Fits `terminal.columns`; colour and characters as the terminal has them.
std::string RenderTable(const Request& request, const Response& response, const Terminal& terminal);

// The answer in a few words: "refund  (confidence 0.65)".
std::string Headline(const Question& question, const Answer& answer);

// `share` of `width` columns: eighths of a block, or "#" where the locale has none.
std::string Bar(double share, size_t width, bool utf8);

}  // namespace dikast::cli
