#include "server/identity.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/file.h"
#include "base/sha256.h"
#include "base/try.h"

namespace dikast::server {
namespace {

// What stands between a request and the model's input and output: changed by hand with those rules.
constexpr std::string_view kProtocol =
    "dikast typed decisions 1: laya-format text, System One confidence";

// Of a hash, where people look at it.
constexpr size_t kShownDigits = 12;

std::string DateOf(const std::filesystem::path& file) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(file, error);
  if (error) return "1970-01-01";
  const auto time = std::chrono::file_clock::to_sys(changed);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

}  // namespace

Result<ModelIdentity> Identify(const ModelInfo& info) {
  ModelIdentity identity;
  identity.info = info;
  DIKAST_TRY(identity.sha256, HashModel(info.folder));
  identity.release_date = DateOf(info.folder / "model.safetensors");
  identity.protocol_sha256 = Sha256Hex(std::as_bytes(std::span(kProtocol)));
  identity.revision = info.name + "@" + identity.sha256.substr(0, kShownDigits);
  if (!info.calibration.empty()) {
    DIKAST_TRY(const MappedFile file, MappedFile::Open(info.calibration));
    identity.revision += "+" + Sha256Hex(file.bytes()).substr(0, kShownDigits);
  }
  return identity;
}

}  // namespace dikast::server
