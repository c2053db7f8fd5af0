#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace dikast {
namespace {

std::filesystem::path Written(const std::string& name, const std::string& bytes) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(File, MapsAndReadsTheSameBytes) {
  const auto path = Written("dikast_file_test.bin", std::string("a\0b", 3));
  const auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped);
  ASSERT_EQ(mapped->bytes().size(), 3u);
  EXPECT_EQ(mapped->bytes()[1], std::byte{0});
  EXPECT_EQ(ReadFile(path, 3).value(), std::string("a\0b", 3));
}

TEST(File, EmptyFilesAreFiles) {
  const auto path = Written("dikast_empty.bin", "");
  EXPECT_EQ(MappedFile::Open(path).value().bytes().size(), 0u);
  EXPECT_EQ(ReadFile(path, 0).value(), "");
}

TEST(File, ErrorsNameTheFile) {
  for (const auto& path : {std::filesystem::path("/nowhere/x"), std::filesystem::path("/tmp")}) {
    const auto mapped = MappedFile::Open(path);
    ASSERT_FALSE(mapped);
    EXPECT_EQ(mapped.error().code, ErrorCode::kModel);
    EXPECT_EQ(mapped.error().path, path.string());
    EXPECT_FALSE(ReadFile(path, 10));
  }
  const auto big = ReadFile(Written("dikast_big.bin", "1234"), 3);
  ASSERT_FALSE(big);
  EXPECT_NE(big.error().message.find("4 bytes; at most 3"), std::string::npos);
}

TEST(File, ANamedPipeIsRefusedWithoutWaiting) {
  const auto path = std::filesystem::path(testing::TempDir()) / "dikast_pipe";
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(ReadFile(path, 10).error().message.find("no regular file"), std::string::npos);
}

}  // namespace
}  // namespace dikast
