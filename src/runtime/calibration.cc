#include "runtime/calibration.h"

#include "base/file.h"
#include "base/try.h"
#include "decision/calibration.h"

namespace dikast {
namespace {

constexpr size_t kMostBytes = 1 << 20;

}  // namespace

std::filesystem::path FindCalibration(const EngineOptions& options) {
  if (options.calibration == "none") return {};
  if (!options.calibration.empty()) return options.calibration;
  const std::filesystem::path file = options.model / "calibration.json";
  std::error_code ignored;  // what cannot be looked at is reported when it is read
  return std::filesystem::exists(std::filesystem::symlink_status(file, ignored))
             ? file
             : std::filesystem::path();
}

Result<Temperatures> LoadTemperatures(const CheckpointConfig& config,
                                      const EngineOptions& options) {
  const std::filesystem::path file = FindCalibration(options);
  if (file.empty()) return config.laya.temperature;
  DIKAST_TRY(const std::string text, ReadFile(file, kMostBytes));
  DIKAST_TRY(const std::string hash, HashModel(options.model));
  Result<Temperatures> temperatures = ParseCalibration(text, hash);
  if (!temperatures) temperatures.error().path = file.string();
  return temperatures;
}

}  // namespace dikast
