// What an OpenAI decision is asked about: `input` items and their parts as values that a model
// reads. protocols.md, section 3.
#pragma once

#include <string>

#include "dikast/json.h"
#include "server/fault.h"

namespace dikast::server {

// A text as it is; one user message as its content; else an array of {"role", "content"}, of
// {"type", "call_id", "name", "arguments" or "input"} and of {"type", "call_id", "output"}, in
// order. Errors: 400 with the path of the item or part.
tl::expected<JsonValue, Fault> ReadInput(JsonValue input);

// `instructions`: a text, or parts. Parts that are all text become one text, a line each; a single
// part becomes its value; else they become an array of values.
tl::expected<JsonValue, Fault> ReadInstructions(JsonValue value, const std::string& path);

// A fault in this dialect: 400, with one of its codes.
tl::unexpected<Fault> Invalid(std::string code, std::string message, std::string path);

// A member that must be a string. Errors: 400 with the path of the member.
tl::expected<std::string, Fault> ReadText(const JsonValue& object, std::string_view key,
                                          const std::string& path);

}  // namespace dikast::server
