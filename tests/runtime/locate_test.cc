#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "dikast/engine.h"

namespace dikast {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kModel = DIKAST_SOURCE_DIR "/models/dikast-mini";

class LocateTest : public testing::Test {
 protected:
  void SetUp() override { unsetenv("DIKAST_MODEL"); }
  void TearDown() override { unsetenv("DIKAST_MODEL"); }
};

TEST_F(LocateTest, TheArgumentWins) {
  setenv("DIKAST_MODEL", "/nowhere", 1);
  EXPECT_EQ(FindModel(kModel).value(), kModel);
}

TEST_F(LocateTest, ThenTheEnvironment) {
  setenv("DIKAST_MODEL", kModel.c_str(), 1);
  EXPECT_EQ(FindModel("").value(), kModel);
}

TEST_F(LocateTest, ThenTheTreeAroundTheProgram) {
  const Result<std::filesystem::path> found = FindModel("");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(std::filesystem::equivalent(*found, kModel));
}

TEST_F(LocateTest, ANamedModelIsNeverReplacedByAnother) {
  const Result<std::filesystem::path> found = FindModel("/nowhere");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kModel);
  EXPECT_EQ(found.error().path, "/nowhere");
  EXPECT_THAT(found.error().message, HasSubstr("--model"));
  setenv("DIKAST_MODEL", "/tmp", 1);
  EXPECT_THAT(FindModel("").error().message,
              AllOf(HasSubstr("$DIKAST_MODEL"), HasSubstr("has no rl_agent_config.json")));
}

TEST_F(LocateTest, HashNamesTheContent) {
  const std::string hash = HashModel(kModel).value();
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(hash, HashModel(kModel + "/").value());
  EXPECT_EQ(HashModel("/nowhere").error().code, ErrorCode::kModel);
}

TEST(Version, HasThreeParts) {
  EXPECT_THAT(std::string(Version()), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace dikast
