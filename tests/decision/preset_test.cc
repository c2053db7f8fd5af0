// Every preset in presets/ is a sound set of questions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "decision/planner.h"
#include "tests/decision/tokenizers.h"

namespace dikast {
namespace {

std::map<std::string, JsonValue> ReadPresets() {
  std::map<std::string, JsonValue> presets;
  const auto folder = std::filesystem::path(DIKAST_SOURCE_DIR) / "presets";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const auto json = ParseJson(ReadFile(entry.path(), 1 << 20).value());
    EXPECT_TRUE(json) << entry.path() << ": " << json.error().message;
    if (json) presets[entry.path().stem().string()] = *json;
  }
  return presets;
}

// The example asks what a user would ask, by the rules of both dialects.
Request MakeRequest(const JsonValue& preset, const DecideOptions& options) {
  JsonObject request = {{"state", *preset.Find("example")},
                        {"questions", *preset.Find("questions")}};
  const auto parsed = ParseRequest(JsonValue{std::move(request)}, options);
  EXPECT_TRUE(parsed) << parsed.error().message << " at " << parsed.error().path;
  return parsed.value_or(Request());
}

// Words between backticks in all instructions.
std::set<std::string> NamedFields(const Request& request) {
  std::set<std::string> fields;
  for (const Question& question : request.questions) {
    const std::string& text = question.instructions;
    for (size_t begin = 0; (begin = text.find('`', begin)) != std::string::npos;) {
      const size_t end = text.find('`', ++begin);
      fields.insert(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return fields;
}

TEST(Presets, AreThere) {
  std::vector<std::string> names;
  for (const auto& [name, preset] : ReadPresets()) names.push_back(name);
  EXPECT_THAT(names,
              ::testing::IsSupersetOf({"agent-trace", "email", "guard", "moderation", "support"}));
}

TEST(Presets, AreWellFormed) {
  for (const auto& [name, preset] : ReadPresets()) {
    SCOPED_TRACE(name);
    for (const char* member : {"name", "description", "questions", "example"}) {
      ASSERT_NE(preset.Find(member), nullptr) << member;
    }
    EXPECT_EQ(*preset.Find("name")->AsString(), name);
    EXPECT_FALSE(preset.Find("description")->AsString()->empty());
    MakeRequest(preset, {.reference = true});
    const Request request = MakeRequest(preset, {});
    if (const JsonValue* field = preset.Find("state_field")) {
      EXPECT_THAT(NamedFields(request), ::testing::ElementsAre(*field->AsString()));
      EXPECT_NE(preset.Find("example")->Find(*field->AsString()), nullptr);
    }
  }
}

// Nothing is cut or grouped, even by the smallest limits of a published checkpoint.
TEST(Presets, FitUncut) {
  const Tokenizer* tokenizer = FindTokenizer("modernbert");
  if (!tokenizer) GTEST_SKIP() << "no ModernBERT tokenizer (name a folder in DIKAST_TOKENIZERS)";
  const SequenceRules rules = TokenizerRules("modernbert");
  for (const auto& [name, preset] : ReadPresets()) {
    SCOPED_TRACE(name);
    const auto plans = PlanRequest(MakeRequest(preset, {}), {}, *tokenizer, rules);
    ASSERT_TRUE(plans) << plans.error().message;
    for (const QuestionPlan& plan : *plans) {
      EXPECT_FALSE(plan.cuts.any());
      EXPECT_EQ(plan.sequences.size(), 1u);
    }
  }
}

}  // namespace
}  // namespace dikast
