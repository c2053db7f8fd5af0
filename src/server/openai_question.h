// One question of an OpenAI decision in System One's form. protocols.md, section 3.
#pragma once

#include <optional>
#include <string>

#include "server/call.h"

namespace dikast::server {

// What an answer repeats of its question.
struct AskedQuestion {
  std::optional<std::string> name;
  JsonArray labels;  // choice: values, string or boolean; score: labels
};

// `path` is where `question` stands in the body. Errors: 400, and 422 past a limit, with the path
// of the member.
tl::expected<JsonValue, Fault> ReadOpenAiQuestion(JsonValue question, std::string path,
                                                  const CallContext& context, AskedQuestion& asked);

}  // namespace dikast::server
