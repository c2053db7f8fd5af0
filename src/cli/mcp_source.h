// What answers the tools of the MCP server: a model in this process, or a running server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dikast/engine.h"
#include "dikast/json.h"

namespace dikast::cli {

struct Decision {
  std::string body;                // System One
  std::vector<std::string> notes;  // what was cut, for people
};

// Used from one thread.
class DecisionSource {
 public:
  virtual ~DecisionSource() = default;
  // `request` is what `document` was parsed to.
  virtual Result<Decision> Decide(const Request& request, const JsonValue& document) = 0;
  // JSON objects.
  virtual Result<std::string> Models() = 0;
  virtual Result<std::string> Status() = 0;
};

using OpenSource = std::function<std::unique_ptr<DecisionSource>()>;

// Loads the model when called; a failure to do so is the answer to every question.
OpenSource LocalSource(const EngineOptions& options, const DecideOptions& reading);

class ServiceClient;
// `over_length` is for requests that do not say it; empty for the server's own default.
OpenSource RemoteSource(ServiceClient client, const std::string& over_length);

}  // namespace dikast::cli
