#include "server/keys.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "base/descriptor.h"
#include "base/sha256.h"
#include "base/try.h"
#include "server/http.h"

namespace dikast::server {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr std::string_view kHashPrefix = "sha256:";

// Overwritten when it goes, so that no key stays in freed memory.
class SecretBuffer {
 public:
  explicit SecretBuffer(size_t size) : bytes_(size) {}
  SecretBuffer(const SecretBuffer&) = delete;
  SecretBuffer& operator=(const SecretBuffer&) = delete;
  ~SecretBuffer() { explicit_bzero(bytes_.data(), bytes_.size()); }
  char* data() { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
};

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string Hash(std::string_view key) {
  return Sha256Hex(std::as_bytes(std::span(key.data(), key.size())));
}

tl::unexpected<Error> BadFile(const std::filesystem::path& file, const std::string& message) {
  return Fail(ErrorCode::kModel, "keys file: " + message, file.string());
}

// Where a file has an access control list, its group bits are the list's mask: systemd's
// credentials let the user of a service read through such a list. The entries are 16 bits of tag,
// 16 of rights and 32 of id, little-endian, after 4 bytes of version: linux/posix_acl_xattr.h.
bool OthersMayTouch(int descriptor, const struct stat& facts) {
  enum : unsigned { kOwner = 1, kUser = 2, kMask = 16 };
  if ((facts.st_mode & 077) == 0) return false;
  if ((facts.st_mode & 07) != 0) return true;
  unsigned char list[1024];
  const ssize_t size = fgetxattr(descriptor, "system.posix_acl_access", list, sizeof list);
  if (size < 4) return true;
  for (ssize_t i = 4; i + 8 <= size; i += 8) {
    const unsigned tag = list[i] | list[i + 1] << 8, rights = list[i + 2];
    const uint32_t id = list[i + 4] | list[i + 5] << 8 | list[i + 6] << 16 |
                        static_cast<uint32_t>(list[i + 7]) << 24;
    const bool ours = tag == kOwner || tag == kMask || (tag == kUser && id == geteuid());
    if (!ours && rights != 0) return true;
  }
  return false;
}

Result<size_t> CheckFile(int descriptor, const std::filesystem::path& file) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return BadFile(file, std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) return BadFile(file, "it is no regular file");
  if (OthersMayTouch(descriptor, facts)) {
    return BadFile(file, "others than its owner may read or write it; chmod 600 it");
  }
  if (facts.st_size > static_cast<off_t>(kMostBytes)) {
    return BadFile(file, "it is larger than 1 MiB");
  }
  return static_cast<size_t>(facts.st_size);
}

Result<std::string> HashOfLine(std::string_view line, size_t number,
                               const std::filesystem::path& file) {
  const auto bad = [&](const std::string& message) {
    return Fail(ErrorCode::kUsage, "keys file: line " + std::to_string(number) + " " + message,
                file.string());
  };
  if (line.starts_with(kHashPrefix)) {
    const std::string hex = LowerCase(line.substr(kHashPrefix.size()));
    if (hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == std::string::npos) {
      return hex;
    }
    return bad("is no hash: sha256: is followed by 64 hexadecimal digits");
  }
  // What a Bearer header can carry.
  const bool visible =
      std::all_of(line.begin(), line.end(), [](char c) { return c > 32 && c < 127; });
  if (!visible) return bad("is no key: a key is made of visible ASCII characters without spaces");
  return Hash(line);
}

Result<std::vector<std::string>> HashesOf(std::string_view text,
                                          const std::filesystem::path& file) {
  std::vector<std::string> hashes;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    DIKAST_TRY(std::string hash, HashOfLine(line, number, file));
    if (std::find(hashes.begin(), hashes.end(), hash) == hashes.end()) {
      hashes.push_back(std::move(hash));
    }
  }
  if (hashes.empty()) return BadFile(file, "it holds no key");
  return hashes;
}

bool SameInConstantTime(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

// The token of "Bearer TOKEN".
std::string_view BearerToken(std::string_view authorization) {
  const size_t space = authorization.find(' ');
  if (space == std::string_view::npos || !SameName(authorization.substr(0, space), "Bearer")) {
    return {};
  }
  return Trim(authorization.substr(space));
}

}  // namespace

Result<std::vector<std::string>> ReadKeyHashes(const std::filesystem::path& file) {
  // O_NONBLOCK: a pipe in the place of the file is refused, not waited for.
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0) return BadFile(file, std::strerror(errno));
  DIKAST_TRY(const size_t size, CheckFile(descriptor.get(), file));
  SecretBuffer buffer(size);
  const ssize_t count = ReadFull(descriptor.get(), {buffer.data(), size});
  if (count < 0) return BadFile(file, std::strerror(errno));
  return HashesOf({buffer.data(), static_cast<size_t>(count)}, file);
}

void KeyRing::Set(const std::vector<std::string>& hashes) {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Key>> keys;
  for (const std::string& hash : hashes) {
    const auto old = std::find_if(keys_.begin(), keys_.end(),
                                  [&](const auto& key) { return key->sha256 == hash; });
    keys.push_back(std::make_shared<const Key>(
        Key{hash, keys.size() + 1,
            old == keys_.end() ? std::make_shared<Allowance>() : (*old)->allowance}));
  }
  keys_ = std::move(keys);
}

std::shared_ptr<const Key> KeyRing::Find(std::string_view authorization) const {
  const std::string_view token = BearerToken(authorization);
  if (token.empty()) return nullptr;
  const std::string hash = Hash(token);
  std::shared_ptr<const Key> found;
  const std::lock_guard lock(mutex_);
  for (const auto& key : keys_) {
    if (SameInConstantTime(key->sha256, hash)) found = key;
  }
  return found;
}

}  // namespace dikast::server
