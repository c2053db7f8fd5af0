// Ready-made questions: presets/NAME.json, a file anyone can add. The form is in presets/README.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dikast/json.h"

namespace dikast::cli {

struct Preset {
  std::string name, description;
  JsonValue document;  // the whole file
};

// From the folders of $DIKAST_PRESETS (joined by ":") if one has the name, else from the first of
// DataFolders() that does. Errors: kUsage for an unknown name, with those that are there; kModel
// for a damaged file.
Result<Preset> LoadPreset(const std::string& name);

// Every preset, by name; the first folder with a name wins.
Result<std::vector<Preset>> ListPresets();

}  // namespace dikast::cli
