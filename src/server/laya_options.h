// The body options of laya.serve: taken where they mean something here, refused by name where they
// would be lost. protocols.md, section 5.
#pragma once

#include <string>

#include "server/call.h"

namespace dikast::server {

// `path` is where `body` stands in the whole; `batch` adds the options of its batch route.
// Errors: 422 with the path of the option.
tl::expected<void, Fault> CheckLayaOptions(const JsonValue& body, const CallContext& context,
                                           const std::string& path, bool batch);

}  // namespace dikast::server
