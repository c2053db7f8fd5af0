// docs/serving.md lists the limits that the program has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "dikast/server.h"
#include "server/routes.h"

namespace dikast::server {
namespace {

using testing::HasSubstr;

std::string ReadDoc() {
  std::ifstream file(DIKAST_SOURCE_DIR "/docs/serving.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ServingDoc, TheTableOfLimitsIsThatOfTheProgram) {
  std::string table = "| option | default | bounds |\n|---|--:|---|\n";
  for (const LimitRow& row : LimitTable()) {
    table += "| `--" + std::string(row.name) + "` | " + std::to_string(ServerLimits{}.*row.value) +
             " | " + row.about + " |\n";
  }
  EXPECT_THAT(ReadDoc(), HasSubstr(table));
}

TEST(ServingDoc, NamesEveryRoute) {
  const std::string doc = ReadDoc();
  for (const Route& route : Routes()) {
    const std::string path(route.path.substr(0, route.path.find("/*")));
    EXPECT_THAT(doc, HasSubstr(path));
  }
}

TEST(Limits, DefaultsAreWithinTheirBounds) {
  for (const LimitRow& row : LimitTable()) {
    const uint64_t value = ServerLimits{}.*row.value;
    EXPECT_GE(value, row.least) << row.name;
    EXPECT_LE(value, row.most) << row.name;
  }
}

}  // namespace
}  // namespace dikast::server
