#pragma once

#include <filesystem>
#include <string>

#include "dikast/json.h"

namespace dikast::test {

// A copy of a base in a fresh folder, broken by a row's edits; removed at the end. A base that is a
// checkpoint gets random weights that fit its configuration.
class BrokenFolder {
 public:
  // Throws std::runtime_error for an edit that does not apply.
  BrokenFolder(const std::string& base, const JsonArray& edits);
  ~BrokenFolder();
  BrokenFolder(const BrokenFolder&) = delete;
  BrokenFolder& operator=(const BrokenFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace dikast::test
