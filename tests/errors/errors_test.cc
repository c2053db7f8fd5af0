// Runs every row of tests/data/errors as a test of its own.
#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "base/json_writer.h"
#include "dikast/json.h"
#include "tests/cli/json_subset.h"
#include "tests/errors/broken_folder.h"
#include "tests/errors/json_edit.h"
#include "tests/errors/program.h"
#include "tests/errors/rows.h"

namespace dikast::test {
namespace {

namespace fs = std::filesystem;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string JsonText(const JsonValue& value) { return JsonWriter().Value(value).Take(); }

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// The program says one thing, on standard error, and where.
void CheckComplaint(const Row& row, const Outcome& outcome, const fs::path& folder) {
  EXPECT_EQ(outcome.out, "");
  const std::string path = FillIn(row.path, folder);
  const std::string start = "dikast: " + path + (path.empty() ? "" : ": ");
  EXPECT_TRUE(outcome.err.starts_with(start)) << "expected to start with: " << start;
  const std::string message = outcome.err.substr(std::min(start.size(), outcome.err.size()));
  EXPECT_TRUE(Has(message, row.message)) << "expected to contain: " << row.message;
  EXPECT_FALSE(path.empty() && message.starts_with('/')) << "there is a path";
}

// A failed line is {"error": {"message", "path"}} and nothing else, but for an id.
void CheckFailedLine(const Row& row, const Outcome& outcome) {
  const Result<JsonValue> line = ParseJson(FirstLine(outcome.out));
  ASSERT_TRUE(line && line->AsObject());
  EXPECT_EQ(line->AsObject()->size(), line->Find("id") ? 2u : 1u) << "only id and error";
  const JsonValue* message = FindAt(*line, "/error/message");
  const JsonValue* path = FindAt(*line, "/error/path");
  ASSERT_TRUE(message && message->AsString() && path && path->AsString());
  EXPECT_TRUE(Has(*message->AsString(), row.message)) << "expected to contain: " << row.message;
  EXPECT_EQ(*path->AsString(), row.path);
}

// What the program wrote, by line; one line is that value alone.
JsonValue ReadAnswers(const std::string& out) {
  JsonArray lines;
  for (size_t at = 0; at < out.size();) {
    const std::string line = FirstLine(out.substr(at));
    Result<JsonValue> value = ParseJson(line);
    EXPECT_TRUE(value) << value.error().message;
    if (value) lines.push_back(*std::move(value));
    at += line.size() + 1;
  }
  return lines.size() == 1 ? std::move(lines[0]) : JsonValue{std::move(lines)};
}

void CheckTwin(const Twin& twin, const JsonValue& answer) {
  const BrokenFolder folder(twin.run.base, twin.run.edits);
  const Outcome outcome = RunProgram(twin.run, folder.path());
  SCOPED_TRACE("twin's stdout:\n" + outcome.out + "\nstderr:\n" + outcome.err);
  ASSERT_EQ(outcome.exit_code, 0);
  const JsonValue other = ReadAnswers(outcome.out);
  const JsonValue* here = FindAt(answer, twin.at);
  const JsonValue* there = FindAt(other, twin.at);
  ASSERT_TRUE(here && there) << twin.at;
  EXPECT_EQ(JsonText(*here) == JsonText(*there), twin.equal);
}

void CheckAnswer(const Row& row, const Outcome& outcome) {
  const JsonValue answer = ReadAnswers(outcome.out);
  const std::string difference = row.answer ? JsonDifference(*row.answer, answer) : "";
  EXPECT_EQ(difference, "");
  EXPECT_TRUE(Has(outcome.err, row.warning)) << "expected to contain: " << row.warning;
  if (row.twin) CheckTwin(*row.twin, answer);
}

class RowTest : public testing::Test {
 public:
  explicit RowTest(const Row& row) : row_(row) {}
  void TestBody() override {
    const BrokenFolder folder(row_.run.base, row_.run.edits);
    const Outcome outcome = RunProgram(row_.run, folder.path());
    SCOPED_TRACE(row_.file.string() + ":" + std::to_string(row_.line) + "\nstdout:\n" +
                 outcome.out + "\nstderr:\n" + outcome.err);
    EXPECT_EQ(outcome.signal, 0);
    ASSERT_EQ(outcome.exit_code, row_.exit_code);
    if (row_.exit_code == 0) {
      CheckAnswer(row_, outcome);
    } else if (row_.exit_code == 1) {
      CheckFailedLine(row_, outcome);
    } else {
      CheckComplaint(row_, outcome, folder.path());
    }
  }

 private:
  Row row_;
};

std::string TestName(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

void Register(const char* group, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    testing::RegisterTest((group + row.file.stem().string()).c_str(), TestName(row.name).c_str(),
                          nullptr, nullptr, row.file.c_str(), row.line,
                          [row] { return new RowTest(row); });
  }
}

}  // namespace
}  // namespace dikast::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dikast::test::Register("Errors_", dikast::test::ErrorRows());
  dikast::test::Register("Right_", dikast::test::RightRows());
  return RUN_ALL_TESTS();
}
