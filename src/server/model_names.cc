#include "server/model_names.h"

#include <algorithm>

#include "base/ascii.h"
#include "dikast/json.h"

namespace dikast::server {
namespace {

// Names in use for the hosted model. protocols.md, section 1.6.
constexpr std::string_view kJevNames[] = {"jev-latest",
                                          "jev-preview",
                                          "jev-1.13",
                                          "jev-1.13.0",
                                          "jev-1.14.0",
                                          "typesafe/jev-1.13",
                                          "typesafe/jev-1.14",
                                          "typesafe/jev-latest",
                                          "~typesafe/jev-latest",
                                          "typesafe-ai/jev",
                                          "typesafe:jev@1",
                                          "jev-1.13-free",
                                          "jev",
                                          "jev-1"};

// Names, aliases and words of laya.serve that pin a checkpoint there. protocols.md, section 5.
constexpr std::string_view kLayaNames[] = {"english",
                                           "en",
                                           "multilingual",
                                           "ml",
                                           "multi",
                                           "typed",
                                           "typed-decisions",
                                           "typed_decisions",
                                           "decisions",
                                           "laya",
                                           "laya-multilingual",
                                           "laya-typed-decisions",
                                           "default",
                                           "convaiinnovations/laya"};

void Add(std::string_view name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

// A name of plain characters as it is; else how long it is.
std::string Shown(std::string_view name) {
  constexpr size_t kMost = 64;
  const bool plain =
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f && c != '"'; });
  if (plain && !name.empty() && name.size() <= kMost) return std::string(name);
  return "(a name of " + std::to_string(name.size()) + " bytes)";
}

}  // namespace

ModelNames::ModelNames(const ServerOptions& options, const ModelInfo& info)
    : any_(options.any_model) {
  listed_ = {info.name};
  Add("jev-latest", listed_);
  Add("gpt-6-luna", listed_);
  for (const std::string& alias : options.aliases) Add(alias, listed_);
  accepted_ = listed_;
  for (const std::string_view name : kJevNames) Add(name, accepted_);
}

bool ModelNames::Accepts(std::string_view name) const {
  if (any_ || std::find(accepted_.begin(), accepted_.end(), name) != accepted_.end()) return true;
  return std::find(std::begin(kLayaNames), std::end(kLayaNames), LowerCase(name)) !=
         std::end(kLayaNames);
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
  for (const auto& each : accepted_) known += (known.empty() ? "" : ", ") + each;
  for (const auto each : kLayaNames) known += ", " + std::string(each);
  return tl::unexpected(
      Fault{.status = 400,
            .type = "api_usage_error",
            .message = "Unknown model: " + Shown(*text) + "; this server answers as " + known,
            .path = "/model"});
}

}  // namespace dikast::server
