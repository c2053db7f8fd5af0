// The table of routes.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "server/call.h"
#include "server/http.h"

namespace dikast::server {

enum class Page { kNone, kHealth, kReady, kModels, kModel, kStatus, kMetrics, kOpenApi, kHome };

struct Route {
  std::string_view path;    // ends with "/*" when the rest is an argument
  std::string_view method;  // "GET" (and HEAD) or "POST"
  Page page = Page::kNone;  // of a GET
  std::unique_ptr<Call> (*call)(const CallContext&) = nullptr;  // of a POST
  HttpResponse (*fault)(const Fault&) = SystemOneFault;         // before the call exists
  bool open = false;                                            // needs no key
};

std::span<const Route> Routes();

// The route of a path, whatever the method; null when there is none.
const Route* FindRoute(std::string_view path);

}  // namespace dikast::server
