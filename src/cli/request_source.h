// From the options of a command to one request.
#pragma once

#include <string>

#include "cli/options.h"

namespace dikast::cli {

// Reads the files and texts that `source` names. Errors: kUsage when a part is missing, kModel for
// a file that cannot be read, kRequest for a request that is refused.
Result<Request> ReadRequest(const SourceOptions& source, const DecideOptions& options);

// The request as the document that a client would have sent. Errors: as ReadRequest, but what only
// ParseRequest sees.
Result<JsonValue> ReadDocument(const SourceOptions& source, const DecideOptions& options);

// All of a file, or of standard input for "-".
Result<std::string> ReadInput(const std::string& file);

}  // namespace dikast::cli
