#include "server/model_names.h"

#include <algorithm>

#include "dikast/json.h"

namespace dikast::server {
namespace {

// Names in use for the hosted model. protocols.md, section 1.6.
constexpr std::string_view kJevNames[] = {
    "jev-latest",      "jev-preview",       "jev-1.13",          "jev-1.13.0",
    "jev-1.14.0",      "typesafe/jev-1.13", "typesafe/jev-1.14", "~typesafe/jev-latest",
    "typesafe-ai/jev", "typesafe:jev@1",    "jev-1.13-free",     "jev",
    "jev-1",           "gpt-6-luna"};

// What clients of Laya send for a loaded checkpoint.
constexpr std::string_view kLayaNames[] = {
    "english",           "multilingual",         "typed-decisions",        "laya",
    "laya-multilingual", "laya-typed-decisions", "convaiinnovations/laya", "default"};

}  // namespace

ModelNames::ModelNames(const ServerOptions& options, const ModelInfo& info)
    : any_(options.any_model) {
  listed_ = {info.name, "jev-latest"};
  if (std::find(listed_.begin(), listed_.end(), "gpt-6-luna") == listed_.end()) {
    listed_.emplace_back("gpt-6-luna");
  }
  listed_.insert(listed_.end(), options.aliases.begin(), options.aliases.end());
  accepted_ = listed_;
  accepted_.insert(accepted_.end(), std::begin(kJevNames), std::end(kJevNames));
  accepted_.insert(accepted_.end(), std::begin(kLayaNames), std::end(kLayaNames));
}

bool ModelNames::Accepts(std::string_view name) const {
  return any_ || std::find(accepted_.begin(), accepted_.end(), name) != accepted_.end();
}

tl::expected<void, Fault> ModelNames::Check(const JsonValue* name) const {
  if (!name || name->IsNull()) return {};
  const std::string* text = name->AsString();
  if (!text) {
    return tl::unexpected(
        Fault{.status = 422,
              .type = "string_type",
              .message = "'model' must be a string, got " + std::string(name->KindName()),
              .path = "/model"});
  }
  if (Accepts(*text)) return {};
  std::string known;
  for (const std::string& each : listed_) known += (known.empty() ? "" : ", ") + each;
  return tl::unexpected(Fault{.status = 400,
                              .type = "api_usage_error",
                              .message = "Unknown model; this server answers as " + known +
                                         " (and the other names of Jev and Laya)",
                              .path = "/model"});
}

}  // namespace dikast::server
