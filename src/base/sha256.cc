#include "base/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"

namespace dikast {

std::string Sha256Hex(std::span<const std::byte> bytes) {
  std::array<unsigned char, 32> digest;
  DIKAST_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  constexpr char kHex[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += kHex[byte >> 4];
    hex += kHex[byte & 15];
  }
  return hex;
}

}  // namespace dikast
