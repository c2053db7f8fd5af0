// Which temperatures a model answers with.
#pragma once

#include "checkpoint/config.h"
#include "decision/readout.h"
#include "dikast/engine.h"

namespace dikast {

// The file of `options`, or the one that lies in the model's folder; an empty path when there is
// none or it is not wanted.
std::filesystem::path FindCalibration(const EngineOptions& options);

// Those of FindCalibration, else those of the checkpoint's own configuration. Reads all files of
// the model when there is a calibration, to hash them.
Result<Temperatures> LoadTemperatures(const CheckpointConfig& config, const EngineOptions& options);

}  // namespace dikast
