#include "tests/cli/json_subset.h"

#include <cmath>

#include "base/json_writer.h"

namespace dikast::test {
namespace {

constexpr double kTolerance = 1e-4;

std::string Text(const JsonValue& value) { return JsonWriter().Value(value).Take(); }

std::string Differ(const JsonValue& expected, const JsonValue& actual, const std::string& path) {
  return "at '" + path + "': expected " + Text(expected) + ", found " + Text(actual);
}

std::string CompareObjects(const JsonObject& expected, const JsonValue& actual,
                           const std::string& path) {
  for (const JsonMember& member : expected) {
    const std::string here = PointerAppend(path, member.key);
    const JsonValue* found = actual.Find(member.key);
    if (found == nullptr) return "at '" + here + "': missing in " + Text(actual);
    const std::string difference = JsonDifference(member.value, *found, here);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string CompareArrays(const JsonArray& expected, const JsonArray& actual,
                          const std::string& path) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string difference = JsonDifference(expected[i], actual[i], PointerAppend(path, i));
    if (!difference.empty()) return difference;
  }
  return {};
}

bool SameNumber(const JsonNumber& expected, const JsonNumber& actual) {
  if (expected.IsInteger()) return expected.spelling == actual.spelling;
  return std::abs(expected.ToDouble() - actual.ToDouble()) <= kTolerance;
}

}  // namespace

std::string JsonDifference(const JsonValue& expected, const JsonValue& actual,
                           const std::string& path) {
  if (expected.value.index() != actual.value.index()) return Differ(expected, actual, path);
  if (expected.AsObject()) return CompareObjects(*expected.AsObject(), actual, path);
  if (expected.AsArray()) {
    if (expected.AsArray()->size() != actual.AsArray()->size()) {
      return Differ(expected, actual, path);
    }
    return CompareArrays(*expected.AsArray(), *actual.AsArray(), path);
  }
  const bool same = expected.AsNumber() ? SameNumber(*expected.AsNumber(), *actual.AsNumber())
                                        : Text(expected) == Text(actual);
  return same ? "" : Differ(expected, actual, path);
}

}  // namespace dikast::test
