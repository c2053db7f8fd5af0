#include "cli/preset_files.h"

#include <cstdlib>
#include <map>
#include <sstream>
#include <system_error>

#include "base/file.h"
#include "base/try.h"
#include "dikast/engine.h"

namespace dikast::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostPresetBytes = 4u << 20;

std::vector<fs::path> PresetFolders() {
  std::vector<fs::path> folders;
  const char* variable = std::getenv("DIKAST_PRESETS");
  std::istringstream named(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(named, folder, ':');) folders.emplace_back(folder);
  for (const fs::path& folder : DataFolders()) folders.push_back(folder / "presets");
  return folders;
}

// Name to file; the first folder with a name wins.
std::map<std::string, fs::path> FindPresets() {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : PresetFolders()) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".json") {
        files.emplace(entry.path().stem().string(), entry.path());
      }
    }
  }
  return files;
}

Result<Preset> ReadPreset(const std::string& name, const fs::path& file) {
  DIKAST_TRY(const std::string text, ReadFile(file, kMostPresetBytes));
  Result<JsonValue> document = ParseJson(text);
  if (!document) {
    return Fail(ErrorCode::kModel, document.error().message, file.string());
  }
  const JsonValue* description = document->Find("description");
  const JsonValue* questions = document->Find("questions");
  if (description == nullptr || description->AsString() == nullptr || questions == nullptr ||
      questions->AsObject() == nullptr) {
    return Fail(ErrorCode::kModel,
                "a preset needs \"description\" (a string) and \"questions\" (an object)",
                file.string());
  }
  return Preset{name, *description->AsString(), *std::move(document)};
}

}  // namespace

Result<Preset> LoadPreset(const std::string& name) {
  const std::map<std::string, fs::path> files = FindPresets();
  const auto found = files.find(name);
  if (found != files.end()) return ReadPreset(name, found->second);
  std::string known;
  for (const auto& [other, file] : files) known += (known.empty() ? "" : ", ") + other;
  return Fail(ErrorCode::kUsage, "no preset is called '" + name + "'; there are " +
                                     (known.empty() ? "none ($DIKAST_PRESETS?)" : known));
}

Result<std::vector<Preset>> ListPresets() {
  std::vector<Preset> presets;
  for (const auto& [name, file] : FindPresets()) {
    DIKAST_TRY(Preset preset, ReadPreset(name, file));
    presets.push_back(std::move(preset));
  }
  return presets;
}

}  // namespace dikast::cli
