#include "cli/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace dikast::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Fingerprint kRun = {{"model_sha256", "aa"}, {"input_sha256", "bb"}};

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "dikast-output-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    file_ = (folder_ / "out").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& text) { std::ofstream(file_, std::ios::binary) << text; }
  std::string Read() {
    std::ostringstream text;
    text << std::ifstream(file_, std::ios::binary).rdbuf();
    return text.str();
  }
  // A run that was recorded and left `text` behind.
  void Interrupted(const std::string& text) {
    ASSERT_TRUE(OpenOutputFile(file_, kRun, false));
    Write(text);
  }

  fs::path folder_;
  std::string file_;
};

TEST_F(OutputFileTest, KeepsCompleteLinesAndDropsATornOne) {
  Interrupted("{\"a\":1}\n{\"id\":2,\"error\":{}}\n{\"a\":");
  const Result<OutputFile> output = OpenOutputFile(file_, kRun, true);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->kept, 2u);
  EXPECT_EQ(output->failed, 1u);
  EXPECT_EQ(Read(), "{\"a\":1}\n{\"id\":2,\"error\":{}}\n");
}

TEST_F(OutputFileTest, EveryPrefixOfAFileResumesAtItsLastCompleteLine) {
  const std::string whole = "{\"a\":1}\n{\"b\":\"\\n\"}\n{}\n";
  for (size_t size = 1; size <= whole.size(); ++size) {
    fs::remove(file_);
    Interrupted(whole.substr(0, size));
    const Result<OutputFile> output = OpenOutputFile(file_, kRun, true);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(Read(), whole.substr(0, whole.rfind('\n', size - 1) + 1)) << size;
  }
}

TEST_F(OutputFileTest, KeepsAnswersThatRepeatAKey) {
  Interrupted("{\"probabilities\":{\"1\":0.2,\"1\":0.8}}\n");
  const Result<OutputFile> output = OpenOutputFile(file_, kRun, true);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->kept, 1u);
}

TEST_F(OutputFileTest, NamesEverythingThatDiffers) {
  Interrupted("{}\n");
  const Result<OutputFile> output = OpenOutputFile(
      file_, {{"model_sha256", "aa"}, {"input_sha256", "cc"}, {"format", "x"}}, true);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, ErrorCode::kUsage);
  EXPECT_THAT(output.error().message,
              AllOf(HasSubstr("input_sha256 was 'bb', is 'cc'"),
                    HasSubstr("format was not recorded, is 'x'"), Not(HasSubstr("model_sha256"))));
  EXPECT_EQ(Read(), "{}\n");
}

TEST_F(OutputFileTest, RefusesAFileThatHasNoRecord) {
  Write("{}\n");
  const Result<OutputFile> output = OpenOutputFile(file_, kRun, true);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().path, HasSubstr("out.resume.json"));
}

TEST_F(OutputFileTest, RefusesToOverwrite) {
  Write("precious");
  const Result<OutputFile> output = OpenOutputFile(file_, kRun, false);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, ErrorCode::kUsage);
  EXPECT_EQ(Read(), "precious");
}

TEST_F(OutputFileTest, RefusesLinesThatAreNoJson) {
  Interrupted("{}\nnonsense\n");
  const Result<OutputFile> output = OpenOutputFile(file_, kRun, true);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("line 2"));
}

TEST_F(OutputFileTest, ResumingNothingStartsANewFile) {
  const Result<OutputFile> output = OpenOutputFile(file_, kRun, true);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->kept, 0u);
  EXPECT_TRUE(fs::exists(file_ + ".resume.json"));
}

TEST_F(OutputFileTest, TwoRunsDoNotShareAFile) {
  const Result<OutputFile> first = OpenOutputFile(file_, kRun, false);
  ASSERT_TRUE(first);
  const Result<OutputFile> second = OpenOutputFile(file_, kRun, true);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another run"));
}

TEST_F(OutputFileTest, APipeCannotBeResumed) {
  const Result<OutputFile> output = OpenOutputFile(file_, {}, true);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace dikast::cli
