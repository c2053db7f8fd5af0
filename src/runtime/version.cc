#include "dikast/engine.h"

namespace dikast {

std::string_view Version() { return DIKAST_VERSION; }

}  // namespace dikast
