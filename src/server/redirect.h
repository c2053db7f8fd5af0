// The old address of a server that has moved: tells people and programs the new one, without a
// model.
#pragma once

#include <string>

#include "server/http.h"

namespace dikast::server {

// A page with a link for GET /, 421 with the address for all else: clients of the protocols follow
// a redirect at great cost or not at all. protocols.md, resolution 10.
HttpResponse RedirectPage(const HttpRequest& request, const std::string& url);

}  // namespace dikast::server
