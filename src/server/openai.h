// The OpenAI dialect of /v1/decisions.
#pragma once

#include <memory>

#include "server/call.h"

namespace dikast::server {

// Told by its shape: `input`, or questions as an array.
bool IsOpenAi(const JsonValue& body);

std::unique_ptr<Call> MakeOpenAiCall(const CallContext& context);

}  // namespace dikast::server
