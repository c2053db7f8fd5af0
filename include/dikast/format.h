// Answers as JSON text, byte for byte the same in the command line and the server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dikast/decision.h"

namespace dikast {

// The System One body {"model", "answers", "usage"}: shortest round-trip numbers, exactly the
// protocol's members. With `details` a last member "x_details" holds FormatDetails.
std::string FormatSystemOne(const Request& request, const Response& response, bool details = false);

// The result of the official laya package: numbers rounded to four decimals as Python's round does.
// With `details` a last member "x_details" holds FormatDetails.
std::string FormatLaya(const Request& request, const Response& response, bool details = false);

// {id: {"type", "options", "probabilities", "logits", "temperature", "action_logits", ...plan}},
// all lists by option as listed; `plan` are the members of FormatPlan.
std::string FormatDetails(const Request& request, const Response& response);

// One question of `dikast tokens`: {"input_ids", "markers", "tokens", "forwards", "orders",
// "instruction_tokens", "instruction_tokens_kept", "state_tokens", "state_tokens_kept", "cuts"}; a
// question that needs several sequences has "sequences": [{"input_ids", "markers", "options",
// "window"?}] instead of the first two. Markers and "options" are by slot.
std::string FormatPlan(const Question& question, const QuestionPlan& plan);

// Tokens of all the sequences of one question.
uint64_t CountTokens(const QuestionPlan& plan);

// What the server's plan route answers: {"max_len", "questions": {id: {"tokens", "state_tokens",
// "state_tokens_kept", "cuts": [sentences of DescribeCuts]}}}.
std::string FormatBudget(const Request& request, const std::vector<QuestionPlan>& plans,
                         uint32_t max_len);

// One sentence for each thing a plan cut or changed, for people: "question 'x': ...". Empty when
// the model reads everything.
std::vector<std::string> DescribeCuts(const Question& question, const QuestionPlan& plan);

// {"message", "path"}.
std::string FormatError(const Error& error);

}  // namespace dikast
