// calibration.json: temperatures that were fitted after a checkpoint was made, bound to it.
#pragma once

#include <string_view>

#include "dikast/quality.h"

namespace dikast {

// {"temperature": [choice, score, noul], "temperature_by_options"?: {bucket: number},
// "model_sha256"}. Names that start with "x_" are for people. Errors: kModel when the text is
// something else, or was fitted for another model than the one with this hash.
Result<Temperatures> ParseCalibration(std::string_view text, std::string_view model_sha256);

}  // namespace dikast
