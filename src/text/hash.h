// A fast hash of short byte strings for tables in memory; not for hostile keys that must not
// collide across processes, and never stored.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace dikast {

inline uint64_t MixBits(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t HashBytes(std::string_view bytes) {
  constexpr uint64_t kFirst = 0x9E3779B97F4A7C15, kSecond = 0xD6E8FEB86659FD93;
  const auto load = [](const char* p, size_t size) {
    uint64_t word = 0;
    std::memcpy(&word, p, size);
    return word;
  };
  const char* p = bytes.data();
  size_t left = bytes.size();
  uint64_t hash = kFirst ^ left;
  for (; left > 8; p += 8, left -= 8) hash = MixBits(hash ^ load(p, 8), kSecond);
  return MixBits(hash ^ load(p, left), kFirst);
}

}  // namespace dikast
