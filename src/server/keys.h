// The keys that clients show, known by their hashes alone.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/status.h"
#include "server/rate.h"

namespace dikast::server {

struct Key {
  std::string sha256;  // lower-case hexadecimal
  size_t number = 0;   // in the order of the file, from 1
  std::shared_ptr<Allowance> allowance;
};

// The SHA-256 of each key of the file, in order: one key or "sha256:HEX" a line, comments after '#'
// at the start of a line, blank lines. Errors: kModel for a file that cannot be read, that others
// than its owner may touch, or that holds no key; kUsage with the line for one that is no key.
Result<std::vector<std::string>> ReadKeyHashes(const std::filesystem::path& file);

// Thread-safe.
class KeyRing {
 public:
  // Replaces the keys; one that stays keeps its allowance.
  void Set(const std::vector<std::string>& hashes);

  // The key in an Authorization header ("Bearer KEY"), or null. Looks at every key whatever it
  // finds, so that the time says nothing.
  std::shared_ptr<const Key> Find(std::string_view authorization) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Key>> keys_;
};

}  // namespace dikast::server
