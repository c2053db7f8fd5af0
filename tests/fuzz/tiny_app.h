// The server without its socket: an App with the bundled model, small limits and no log.
#pragma once

#include "server/app.h"

namespace dikast {

// Aborts when the model does not load.
server::App& TinyApp();

// The input goes on when this is false: a fault of the server, or a body that is not JSON.
void RequireGoodAnswer(unsigned status, const std::string& content_type, const std::string& body);

}  // namespace dikast
