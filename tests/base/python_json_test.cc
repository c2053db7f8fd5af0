#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"

namespace dikast {
namespace {

// Expected texts as CPython 3.11 prints them: json.dumps(json.loads(text), ensure_ascii=False).
TEST(PythonJson, SpellsValuesAsPythonDoes) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"({"a":1,"b":[true,false,null]})", R"({"a": 1, "b": [true, false, null]})"},
      {"[]", "[]"},
      {"{}", "{}"},
      {"-0", "0"},
      {"-0.0", "-0.0"},
      {"1e2", "100.0"},
      {"1E16", "1e+16"},
      {"9999999999999998.0", "9999999999999998.0"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"1.5e-7", "1.5e-07"},
      {"1e300", "1e+300"},
      {"1e22", "1e+22"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"0.1", "0.1"},
      {"5e-324", "5e-324"},
      {"2.5e-400", "0.0"},
      {R"("\u0000\u001f\u007f\/ é 😀 \"\\\n\r\t\b\f")",
       "\"\\u0000\\u001f\x7f/ é 😀 \\\"\\\\\\n\\r\\t\\b\\f\""},
  };
  for (const auto& [text, expected] : rows) {
    const auto value = ParseJson(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(PythonJson(*value).value(), expected) << text;
  }
}

TEST(PythonJson, RefusesIntegersThatPythonRefuses) {
  EXPECT_TRUE(PythonJson(JsonValue{JsonNumber{std::string(4300, '7')}}));
  const auto refused = PythonJson(JsonValue{JsonNumber{"-" + std::string(4301, '7')}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("4301 digits"), std::string::npos);
}

[[gnu::noinline]] void LeaveDigitsOnTheStack() {
  volatile char digits[1024];
  for (volatile char& digit : digits) digit = '9';
}

TEST(PythonFloat, ReadsNoDigitsBehindTheNumber) {
  for (const auto& [value, text] : std::vector<std::pair<double, std::string>>{
           {5.0, "5.0"}, {0.25, "0.25"}, {1e-4, "0.0001"}, {2e15, "2000000000000000.0"}}) {
    LeaveDigitsOnTheStack();
    EXPECT_EQ(PythonFloat(value), text);
  }
}

TEST(RoundTo4, RoundsTheExactValueOfTheDouble) {
  EXPECT_EQ(RoundTo4(0.00005), 0.0001);  // the double lies above the tie
  EXPECT_EQ(RoundTo4(0.00015), 0.0001);  // below it
  EXPECT_EQ(RoundTo4(0.03125), 0.0312);  // an exact tie goes to the even digit
  EXPECT_EQ(RoundTo4(0.09375), 0.0938);
  EXPECT_EQ(RoundTo4(1.0 / 3), 0.3333);
  EXPECT_EQ(RoundTo4(1.0), 1.0);
}

TEST(JsonWriter, PlacesCommas) {
  JsonWriter writer;
  writer.BeginObject().Key("a").BeginArray().Integer(1).Number(0.5).EndArray();
  writer.Key("b").BeginObject().EndObject().Key("c").Null().EndObject();
  EXPECT_EQ(writer.Take(), R"({"a":[1,0.5],"b":{},"c":null})");
}

}  // namespace
}  // namespace dikast
