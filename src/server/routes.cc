#include "server/routes.h"

#include <algorithm>

namespace dikast::server {
namespace {

constexpr Route kRoutes[] = {
    {"/v1/systemone", "POST", Page::kNone, MakeSystemOneCall},
    {"/systemone", "POST", Page::kNone, MakeSystemOneCall},
    {"/api/v1/systemone", "POST", Page::kNone, MakeSystemOneCall},
    {"/v1/systemone/batch", "POST", Page::kNone, MakeBatchCall},
    {"/v1/systemone/plan", "POST", Page::kNone, MakePlanCall},
    {"/v1/decisions", "POST", Page::kNone, MakeDecisionsCall, EitherFault},
    {"/decisions", "POST", Page::kNone, MakeDecisionsCall, EitherFault},
    {"/api/alpha/decisions", "POST", Page::kNone, MakeDecisionsCall, EitherFault},
    {"/decide", "POST", Page::kNone, MakeDecideCall},
    {"/v1/models", "GET", Page::kModels},
    {"/v1/models/*", "GET", Page::kModel},
    {"/health", "GET", Page::kHealth, nullptr, SystemOneFault, true},
    {"/healthz", "GET", Page::kHealth, nullptr, SystemOneFault, true},
    {"/ready", "GET", Page::kReady, nullptr, SystemOneFault, true},
    {"/readyz", "GET", Page::kReady, nullptr, SystemOneFault, true},
    {"/status", "GET", Page::kStatus},
    {"/metrics", "GET", Page::kMetrics},
    {"/openapi.json", "GET", Page::kOpenApi},
    {"/", "GET", Page::kHome, nullptr, SystemOneFault, true},
};

bool Matches(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with("/*")) return pattern == path;
  pattern.remove_suffix(1);
  return path.size() > pattern.size() && path.starts_with(pattern);
}

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

const Route* FindRoute(std::string_view path) {
  const auto* route = std::find_if(std::begin(kRoutes), std::end(kRoutes),
                                   [&](const Route& r) { return Matches(r.path, path); });
  return route == std::end(kRoutes) ? nullptr : route;
}

}  // namespace dikast::server
