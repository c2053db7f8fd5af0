// Answers as JSON text, byte for byte the same in the command line and the server.
#pragma once

#include <string>

#include "dikast/decision.h"

namespace dikast {

// The System One body {"model", "answers", "usage"}: shortest round-trip numbers.
std::string FormatSystemOne(const Request& request, const Response& response);

// The result of the official laya package: numbers rounded to four decimals as Python's round does.
std::string FormatLaya(const Request& request, const Response& response);

// What --details adds: unrounded probabilities, logits, action logits, ids, markers, cuts.
std::string FormatDetails(const Request& request, const Response& response);

// One question of `dikast tokens`: {"input_ids", "markers", "tokens", ..., "cuts"}.
std::string FormatPlan(const Question& question, const QuestionPlan& plan);

// {"message", "path"}.
std::string FormatError(const Error& error);

}  // namespace dikast
