#include "decision/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dikast {
namespace {

using testing::HasSubstr;

TEST(Calibration, WhatIsWrittenIsRead) {
  const Temperatures temperatures = {.by_type = {1.25, 0.75, 2},
                                     .by_bucket = {{"choice:11+", 0.5}, {"noul:2", 1.1}}};
  const std::string text = FormatCalibration(temperatures, "abc", R"({"rows":7})");
  const Temperatures read = ParseCalibration(text, "abc").value();
  EXPECT_EQ(read.by_type, temperatures.by_type);
  EXPECT_EQ(read.by_bucket, temperatures.by_bucket);
  EXPECT_THAT(text, HasSubstr(R"("rows":7)"));
}

TEST(Calibration, WithoutBucketsThereAreNone) {
  const auto read = ParseCalibration(R"({"temperature": [1, 2, 3], "model_sha256": "a"})", "a");
  EXPECT_TRUE(read.value().by_bucket.empty());
}

TEST(Calibration, OfAnotherModelIsRefusedWithBothHashesAndWhatToDo) {
  const auto read = ParseCalibration(R"({"temperature": [1, 2, 3], "model_sha256": "a"})", "b2");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kModel);
  EXPECT_THAT(read.error().message,
              testing::AllOf(HasSubstr("'a'"), HasSubstr("b2"), HasSubstr("dikast calibrate"),
                             HasSubstr("--calibration none")));
}

TEST(Calibration, WhatIsNotOneIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "no JSON"},
      {"[]", "an object is needed, got an array"},
      {R"({"temperature": [1, 2, 3]})", "'model_sha256' is missing"},
      {R"({"temperature": [1, 2, 3], "model_sha256": 7})", "'model_sha256' is missing"},
      {R"({"model_sha256": "a"})", "a list of 3 numbers"},
      {R"({"temperature": [1, 2], "model_sha256": "a"})", "a list of 3 numbers"},
      {R"({"temperature": [1, true, 3], "model_sha256": "a"})", "'temperature/1'"},
      {R"({"temperature": [1, 0, 3], "model_sha256": "a"})", "over 0, got 0"},
      {R"({"temperature": [1, 1e999, 3], "model_sha256": "a"})", "no JSON"},
      {R"({"temperature": [1, 2, 3], "temperature_by_options": [], "model_sha256": "a"})",
       "must be an object"},
      {R"({"temperature": [1, 2, 3], "temperature_by_options": {"choice:4": 1},
           "model_sha256": "a"})",
       "no bucket 'choice:4'"},
      {R"({"temperature": [1, 2, 3], "temperature_by_option": {}, "model_sha256": "a"})",
       "unknown member 'temperature_by_option'"},
      {R"({"temperature": [1, 2, 3], "binning_map": {}, "model_sha256": "a"})",
       "unknown member 'binning_map'"}};
  for (const auto& [text, message] : cases) {
    const auto read = ParseCalibration(text, "a");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kModel);
    EXPECT_THAT(read.error().message, HasSubstr(message));
  }
}

}  // namespace
}  // namespace dikast
