// Runs every case of tests/cli/cases/*.case as a test of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "dikast/json.h"
#include "tests/cli/case_file.h"
#include "tests/cli/json_subset.h"
#include "tests/cli/run_process.h"

namespace dikast::test {
namespace {

namespace fs = std::filesystem;

// An empty folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "dikast-case-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string LineOf(const std::string& text, size_t number) {
  std::istringstream lines(text);
  std::string line;
  for (size_t i = 0; i < number; ++i) {
    if (!std::getline(lines, line)) return "(no such line)";
  }
  return line;
}

std::string Subject(const Expectation& expectation, const ProcessResult& result) {
  const std::string& text = expectation.subject.starts_with("stderr") ? result.err : result.out;
  const size_t bracket = expectation.subject.find('[');
  if (bracket == std::string::npos) return text;
  return LineOf(text, std::stoul(expectation.subject.substr(bracket + 1)));
}

std::string WithoutNewline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

void CheckJson(const std::string& expected, const std::string& actual) {
  const Result<JsonValue> want = ParseJson(expected), have = ParseJson(actual);
  ASSERT_TRUE(want) << "the case's own JSON: " << want.error().message;
  ASSERT_TRUE(have) << have.error().message;
  EXPECT_EQ(JsonDifference(*want, *have), "");
}

void Check(const Expectation& expectation, const ProcessResult& result) {
  const std::string actual = Subject(expectation, result);
  const auto& [line, subject, verb, text] = expectation;
  SCOPED_TRACE("line " + std::to_string(line) + ": " + subject + " " + verb);
  if (verb == "json") return CheckJson(text, actual);
  if (verb == "is" || verb == "empty") {
    EXPECT_EQ(WithoutNewline(actual), text);
  } else {
    EXPECT_EQ(actual.find(text) != std::string::npos, verb == "has") << text;
  }
}

Script ToScript(const Case& one, const fs::path& folder) {
  const std::string program_folder = fs::path(DIKAST_PROGRAM).parent_path().string();
  const char* path = std::getenv("PATH");
  return {.text = "unset DIKAST_PRESETS DIKAST_URL DIKAST_API_KEY NO_COLOR COLUMNS\n" + one.script,
          .folder = folder,
          .environment = {{"PATH", program_folder + ":" + (path == nullptr ? "/bin" : path)},
                          {"LC_ALL", "C.UTF-8"},
                          {"TERM", "xterm"},
                          {"SOURCE", DIKAST_SOURCE_DIR},
                          {"DIKAST_MODEL", DIKAST_SOURCE_DIR "/models/dikast-mini-v1"},
                          {"DATA", DIKAST_TEST_DATA}},
          .columns = one.columns};
}

class CommandLine : public testing::Test {
 public:
  explicit CommandLine(const Case& one) : case_(one) {}
  void TestBody() override {
    const ScratchFolder folder;
    const ProcessResult result = RunScript(ToScript(case_, folder.path()));
    SCOPED_TRACE(case_.file.string() + ":" + std::to_string(case_.line) + "\nstdout:\n" +
                 result.out + "\nstderr:\n" + result.err);
    EXPECT_EQ(result.exit_code, case_.exit_code);
    ASSERT_FALSE(case_.expectations.empty()) << "a case must expect something";
    for (const Expectation& expectation : case_.expectations) Check(expectation, result);
  }

 private:
  Case case_;
};

std::string TestName(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

void RegisterCases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(DIKAST_SOURCE_DIR "/tests/cli/cases")) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    for (const Case& one : ReadCases(file)) {
      testing::RegisterTest(("Cli_" + TestName(file.stem().string())).c_str(),
                            TestName(one.name).c_str(), nullptr, nullptr, file.c_str(), one.line,
                            [one] { return new CommandLine(one); });
    }
  }
}

}  // namespace
}  // namespace dikast::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dikast::test::RegisterCases();
  return RUN_ALL_TESTS();
}
