// The table as a whole: enough rows, none too often, no fault without one.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/errors/rows.h"

namespace dikast::test {
namespace {

namespace fs = std::filesystem;

constexpr char kData[] = DIKAST_TEST_DATA "/errors";
constexpr size_t kLeastRows = 80;
constexpr int kMostRowsOfACause = 3;

std::string Where(const Row& row) {
  return row.file.filename().string() + ":" + std::to_string(row.line) + " " + row.name;
}

TEST(Table, HasEnoughRows) { EXPECT_GE(ErrorRows().size(), kLeastRows); }

TEST(Table, HasNoCauseTooOften) {
  std::map<std::string, int> rows_of_cause;
  for (const Row& row : ErrorRows()) {
    EXPECT_FALSE(row.cause.empty()) << Where(row);
    const std::string kind = row.file.stem().string();
    EXPECT_LE(++rows_of_cause[kind + ": " + row.cause], kMostRowsOfACause) << Where(row);
  }
}

TEST(Table, AssertsAMessageForEveryError) {
  for (const Row& row : ErrorRows()) {
    EXPECT_NE(row.exit_code, 0) << Where(row) << ": it belongs into right/";
    EXPECT_FALSE(row.message.empty()) << Where(row);
    EXPECT_FALSE(row.answer || row.twin) << Where(row);
  }
}

TEST(Table, AssertsAnAnswerWhereNoErrorIsRight) {
  for (const Row& row : RightRows()) {
    EXPECT_EQ(row.exit_code, 0) << Where(row);
    EXPECT_TRUE(row.answer || row.twin) << Where(row);
  }
}

TEST(Table, NamesEveryRowOnce) {
  std::set<std::string> names;
  for (const auto& rows : {ErrorRows(), RightRows()}) {
    for (const Row& row : rows) {
      EXPECT_TRUE(names.insert(row.file.string() + row.name).second) << Where(row);
    }
  }
}

// A fault has a row, or says where else it is looked after.
TEST(Table, CoversEveryKnownFault) {
  std::set<std::string> covered, known;
  for (const auto& rows : {ErrorRows(), RightRows()}) {
    for (const Row& row : rows) covered.insert(row.faults.begin(), row.faults.end());
  }
  for (const auto& [line, fault] : ReadJsonLines(fs::path(kData) / "faults.jsonl")) {
    const std::string id = *fault.Find("fault")->AsString();
    EXPECT_TRUE(known.insert(id).second) << id << " stands twice";
    EXPECT_EQ(covered.contains(id), !fault.Find("elsewhere")) << id;
    if (const JsonValue* file = fault.Find("file")) {
      EXPECT_TRUE(fs::exists(fs::path(DIKAST_SOURCE_DIR) / *file->AsString())) << id;
    }
  }
  for (const std::string& id : covered) EXPECT_TRUE(known.contains(id)) << id;
}

}  // namespace
}  // namespace dikast::test
