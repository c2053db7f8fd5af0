#include "dikast/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/json_writer.h"

namespace dikast {
namespace {

std::string Compact(const JsonValue& value) { return JsonWriter().Value(value).Take(); }

TEST(Json, KeepsOrderAndSpelling) {
  const std::string text = R"({"b":[1e2,-0,12345678901234567890123,0.10],"a":{"":null,"x":true}})";
  const auto value = ParseJson(text);
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(Compact(*value), text);
}

struct Refusal {
  const char* text;
  const char* path;
  const char* message;
};

TEST(Json, RefusesLooseTextWithItsPlace) {
  const std::vector<Refusal> rows = {
      {"", "", "at byte 0"},
      {"{\"a\": NaN}", "/a", "at byte 6"},
      {"[1, Infinity]", "/1", "at byte 4"},
      {"[-Infinity]", "/0", "not JSON"},
      {"{\"a\": 1, \"a\": 2}", "/a", "stands twice"},
      {"{\"q\": {\"x/y~\": 1, \"x/y~\": 1}}", "/q/x~1y~0", "stands twice"},
      {"[1e400]", "/0", "past the range"},
      {"[-1e400]", "/0", "past the range"},
      {"{} x", "", "at byte 3"},
      {"[1,]", "/1", "not JSON"},
      {"// no\n1", "", "not JSON"},
      {"[\"\xff\"]", "/0", "not JSON"},
      {"[\"\\ud800\"]", "/0", "not JSON"},
      {"\"open", "", "incomplete"},
      {"[01]", "/1", "not JSON"},
  };
  for (const Refusal& row : rows) {
    const auto value = ParseJson(row.text);
    ASSERT_FALSE(value) << row.text;
    EXPECT_EQ(value.error().code, ErrorCode::kRequest);
    EXPECT_EQ(value.error().path, row.path) << row.text;
    EXPECT_NE(value.error().message.find(row.message), std::string::npos)
        << row.text << ": " << value.error().message;
  }
}

TEST(Json, DepthIsLimited) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(128)));
  const auto deep = ParseJson(nested(129));
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().message.find("too deep"), std::string::npos) << deep.error().message;
}

TEST(Json, ValuesAreLimited) {
  // With the array itself: 499,999 numbers fit, 500,000 do not.
  const auto numbers = [](size_t count) {
    std::string text = "[0";
    for (size_t i = 1; i < count; ++i) text += ",0";
    return text + "]";
  };
  EXPECT_TRUE(ParseJson(numbers(499'999)));
  const auto refused = ParseJson(numbers(500'000));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find("more than 500000 values"), 0u);
  EXPECT_TRUE(ParseJson("[1, 2]", JsonDialect::kStrict, {.values = 3}));
  EXPECT_FALSE(ParseJson("[1, 2, 3]", JsonDialect::kStrict, {.values = 3}));
}

TEST(Json, StringsAndKeysAreLimited) {
  const auto read = [](const char* text) {
    return ParseJson(text, JsonDialect::kStrict, {.string_bytes = 4});
  };
  EXPECT_TRUE(read(R"({"abcd": "\u00e9\u00e9"})"));  // counted as decoded
  const auto text = read(R"({"a": ["abcde"]})");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().path, "/a/0");
  EXPECT_EQ(text.error().message.find("a string of 5 bytes is over the 4 that are read"), 0u);
  const auto key = read(R"({"a": {"abcde": 1}})");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().path, "/a");
  EXPECT_EQ(key.error().message.find("a key of 5 bytes"), 0u);
}

TEST(Json, ReferenceDialectReadsWhatPythonReads) {
  const auto value = ParseJson(
      R"({"a": NaN, "b": 1, "s": "NaN \" Infinity", "b": [Infinity, -Infinity], "n": 1e400})",
      JsonDialect::kReference);
  ASSERT_TRUE(value) << value.error().message;
  // A repeated key keeps its first position and its last value.
  EXPECT_EQ(Compact(*value),
            R"({"a":NaN,"b":[Infinity,-Infinity],"s":"NaN \" Infinity","n":1e400})");
  EXPECT_EQ(PythonJson(*value).value(),
            R"({"a": NaN, "b": [Infinity, -Infinity], "s": "NaN \" Infinity", "n": Infinity})");
}

TEST(Json, ReferenceDialectStillRefusesGarbage) {
  for (const char* text : {"nan", "NaNx", "xNaN", "1NaN", "nulNaN", "[NaN", "-NaN", "+Infinity"}) {
    EXPECT_FALSE(ParseJson(text, JsonDialect::kReference)) << text;
  }
}

TEST(Json, NumbersPastTheRange) {
  const auto number = [](const char* spelling) { return JsonNumber{spelling}.ToDouble(); };
  EXPECT_EQ(number("1e400"), INFINITY);
  EXPECT_EQ(number("-1e400"), -INFINITY);
  EXPECT_EQ(number("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(number("-1e-400")));
  EXPECT_EQ(number("0.0001e420"), INFINITY);
  EXPECT_EQ(number("1000e-420"), 0.0);
  EXPECT_EQ(JsonNumber{"9223372036854775807"}.ToInteger(), INT64_MAX);
  EXPECT_EQ(JsonNumber{"9223372036854775808"}.ToInteger(), std::nullopt);
  EXPECT_EQ(JsonNumber{"1.0"}.ToInteger(), std::nullopt);
}

}  // namespace
}  // namespace dikast
