#pragma once

#include <string_view>

namespace dikast::server {

// docs/openapi.json, made a part of the program when it is built.
std::string_view OpenApiJson();

}  // namespace dikast::server
