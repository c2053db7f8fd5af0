#pragma once

#include "dikast/status.h"
#include "server/model_names.h"

namespace dikast::server {

// Hashes the model's files; some seconds for gigabytes. Errors: kModel.
Result<ModelIdentity> Identify(const ModelInfo& info);

}  // namespace dikast::server
