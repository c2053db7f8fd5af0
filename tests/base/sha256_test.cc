#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string_view>

namespace dikast {
namespace {

std::string Hash(std::string_view text) { return Sha256Hex(std::as_bytes(std::span(text))); }

// The examples of FIPS 180-4.
TEST(Sha256, Examples) {
  EXPECT_EQ(Hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace dikast
