// The answers to GET that need no forward pass.
#pragma once

#include <string_view>

#include "server/call.h"
#include "server/http.h"

namespace dikast::server {

HttpResponse HealthPage();
HttpResponse HomePage();
HttpResponse ReadyPage(bool loaded, bool draining);
HttpResponse ModelsPage(const CallContext& context);
// `argument` is percent-encoded, as in the path.
HttpResponse ModelPage(const CallContext& context, std::string_view argument);
HttpResponse StatusPage(const CallContext& context, const Scheduler& scheduler);

}  // namespace dikast::server
