// Which model names a request may give, and what the loaded model is called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dikast/engine.h"
#include "dikast/server.h"
#include "server/fault.h"

namespace dikast::server {

// Filled when the model is loaded; constant from then on.
struct ModelIdentity {
  ModelInfo info;
  std::string sha256;           // HashModel of the folder
  std::string release_date;     // YYYY-MM-DD of the weights' file
  std::string protocol_sha256;  // of the rules that make prompts and answers
  // What thresholds are tied to: "name@hash", or "name@hash+hash" with that of the calibration.
  std::string revision;
};

// protocols.md, section 12: the model's own name, Jev aliases, gpt-6-luna, Laya's names and what
// the options add. Laya's names are taken in any case of letters, as Laya does. Which of them is
// sent changes nothing: one model is loaded, and the answer says which.
class ModelNames {
 public:
  ModelNames(const ServerOptions& options, const ModelInfo& info);

  // Names in the order they are listed; the model's own first.
  const std::vector<std::string>& listed() const { return listed_; }
  bool Accepts(std::string_view name) const;
  // Errors: the fault of an unknown model, which lists what is accepted. Null and absent pass.
  tl::expected<void, Fault> Check(const JsonValue* name) const;

 private:
  bool any_;
  std::vector<std::string> listed_, accepted_;
};

}  // namespace dikast::server
