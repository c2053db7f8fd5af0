#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace dikast {

// Lower-case hexadecimal SHA-256 (FIPS 180-4).
std::string Sha256Hex(std::span<const std::byte> bytes);

}  // namespace dikast
