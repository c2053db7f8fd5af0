// Where the program's data lies: models and presets, in a source tree or an install prefix.
#include <cstdlib>
#include <system_error>

#include "dikast/engine.h"

namespace dikast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfigFile = "rl_agent_config.json";

fs::path ProgramFolder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

bool IsCheckpoint(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kConfigFile, ignored);
}

Result<fs::path> Named(const fs::path& folder, std::string_view from) {
  if (IsCheckpoint(folder)) return folder;
  std::error_code ignored;
  const std::string found =
      fs::is_directory(folder, ignored) ? "has no " + std::string(kConfigFile) : "is not a folder";
  return Fail(
      ErrorCode::kModel,
      "no model here: " + std::string(from) + " must name a checkpoint folder, and this " + found,
      folder.string());
}

}  // namespace

std::vector<fs::path> DataFolders() {
  const fs::path program = ProgramFolder();
  return {program, program.parent_path(), program.parent_path().parent_path(),
          program.parent_path() / "share/dikast", DIKAST_SHARE_DIR};
}

Result<fs::path> FindModel(std::string_view model) {
  if (!model.empty()) return Named(fs::path(model), "--model");
  const char* variable = std::getenv("DIKAST_MODEL");
  if (variable != nullptr && *variable != '\0') return Named(variable, "$DIKAST_MODEL");
  std::string tried;
  for (const fs::path& folder : DataFolders()) {
    const fs::path candidate = folder / "models/dikast-mini";
    if (IsCheckpoint(candidate)) return candidate;
    tried += (tried.empty() ? "" : ", ") + candidate.string();
  }
  return Fail(ErrorCode::kModel,
              "no model found: name a checkpoint folder with --model or $DIKAST_MODEL (tried " +
                  tried + ")");
}

}  // namespace dikast
