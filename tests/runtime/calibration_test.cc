// Which temperatures an engine takes, on a folder of links to the bundled model's files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dikast/engine.h"
#include "dikast/quality.h"

namespace dikast {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path kModel = DIKAST_SOURCE_DIR "/models/dikast-mini-v1";

class CalibrationFile : public testing::Test {
 protected:
  CalibrationFile() : folder_(fs::path(testing::TempDir()) / ("calibration-" + Name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const char* part : {"rl_agent_config.json", "encoder", "tokenizer", "model.safetensors"}) {
      fs::create_symlink(kModel / part, folder_ / part);
    }
    hash_ = HashModel(folder_).value();
  }
  ~CalibrationFile() override { fs::remove_all(folder_); }

  static std::string Name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  fs::path Write(const std::string& name, double temperature, const std::string& hash) const {
    const Temperatures fitted = {.by_type = {temperature, 1, 1}, .by_bucket = {}};
    std::ofstream(folder_ / name) << FormatCalibration(fitted, hash, "{}");
    return folder_ / name;
  }

  // The temperature of a choice of three.
  double TemperatureWith(const fs::path& calibration) const {
    Engine engine = Engine::Load({.model = folder_, .calibration = calibration}).value();
    const Request request = ParseRequest(R"({"state": "Late.", "questions": {"q":
        {"type": "choice", "criteria": ["a", "b", "c"]}}})",
                                         {})
                                .value();
    return engine.Decide(request, {}).value().answers[0].temperature;
  }

  fs::path folder_;
  std::string hash_;
};

TEST_F(CalibrationFile, OfTheFolderIsTakenByItself) {
  const double own = TemperatureWith({});
  Write("calibration.json", 3.25, hash_);
  EXPECT_NE(own, 3.25);
  EXPECT_EQ(TemperatureWith({}), 3.25);
  EXPECT_EQ(TemperatureWith("none"), own);
  EXPECT_EQ(TemperatureWith(Write("other.json", 2.5, hash_)), 2.5);
}

TEST_F(CalibrationFile, OfAnotherModelIsRefused) {
  const fs::path file = Write("calibration.json", 3, std::string(64, 'a'));
  for (const Result<ModelInfo>& info :
       {InspectModel({.model = folder_}), InspectModel({.model = folder_, .calibration = file})}) {
    ASSERT_FALSE(info);
    EXPECT_EQ(info.error().code, ErrorCode::kModel);
    EXPECT_EQ(info.error().path, file.string());
    EXPECT_THAT(info.error().message, HasSubstr(hash_));
  }
  EXPECT_FALSE(Engine::Load({.model = folder_}));
  EXPECT_TRUE(Engine::Load({.model = folder_, .calibration = "none"}));
}

TEST_F(CalibrationFile, ThatIsNotThereIsNamed) {
  const auto info = InspectModel({.model = folder_, .calibration = folder_ / "nowhere.json"});
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().path, (folder_ / "nowhere.json").string());
}

TEST_F(CalibrationFile, IsToldWithTheModel) {
  EXPECT_TRUE(InspectModel({.model = folder_}).value().calibration.empty());
  const fs::path file = Write("calibration.json", 3, hash_);
  const ModelInfo info = InspectModel({.model = folder_}).value();
  EXPECT_EQ(info.calibration, file);
  EXPECT_EQ(info.temperatures.by_type[0], 3);
}

}  // namespace
}  // namespace dikast
