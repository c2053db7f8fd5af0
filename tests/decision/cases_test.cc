// Runs the behaviour cases of tests/data/decision/cases: see the README there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/json_writer.h"
#include "decision/readout.h"
#include "dikast/format.h"
#include "tests/decision/words.h"

namespace dikast {
namespace {

struct Case {
  std::string file;
  JsonValue json;
};

void PrintTo(const Case& shown, std::ostream* out) {
  *out << JsonWriter().Value(shown.json).Take();
}

std::string Text(const JsonValue* value, const std::string& otherwise = "") {
  return value && value->AsString() ? *value->AsString() : otherwise;
}

uint32_t Number(const JsonValue* value, uint32_t otherwise) {
  return value ? static_cast<uint32_t>(*value->AsNumber()->ToInteger()) : otherwise;
}

std::vector<Case> ReadCases() {
  std::vector<Case> cases;
  const std::filesystem::path folder = std::filesystem::path(DIKAST_TEST_DATA) / "decision/cases";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    for (const std::string& line : Lines(ReadTestFile("cases/" + file.filename().string()))) {
      Result<JsonValue> json = ParseJson(line);
      EXPECT_TRUE(json) << file << ": " << json.error().message << "\n" << line;
      if (json) cases.push_back({file.stem().string(), *std::move(json)});
    }
  }
  return cases;
}

// Numbers may differ by `tolerance`; members of `expected` that `found` has beyond are ignored when
// `subset`.
::testing::AssertionResult Matches(const JsonValue& expected, const JsonValue& found, bool subset,
                                   const std::string& path = "") {
  const auto fail = [&] {
    return ::testing::AssertionFailure()
           << path << ": expected " << JsonWriter().Value(expected).Take() << ", found "
           << JsonWriter().Value(found).Take();
  };
  if (expected.value.index() != found.value.index()) return fail();
  if (const JsonNumber* number = expected.AsNumber()) {
    const double difference = number->ToDouble() - found.AsNumber()->ToDouble();
    return std::abs(difference) <= 1e-9 ? ::testing::AssertionSuccess() : fail();
  }
  if (const JsonArray* array = expected.AsArray()) {
    if (array->size() != found.AsArray()->size()) return fail();
    for (size_t i = 0; i < array->size(); ++i) {
      auto result = Matches((*array)[i], (*found.AsArray())[i], subset, PointerAppend(path, i));
      if (!result) return result;
    }
    return ::testing::AssertionSuccess();
  }
  if (const JsonObject* object = expected.AsObject()) {
    const JsonObject& other = *found.AsObject();
    if (!subset && object->size() != other.size()) return fail();
    for (size_t i = 0; i < object->size(); ++i) {
      const JsonMember& member = (*object)[i];
      const JsonValue* value = subset ? found.Find(member.key) : &other[i].value;
      if (!value || (!subset && other[i].key != member.key)) return fail();  // the order counts
      auto result = Matches(member.value, *value, subset, PointerAppend(path, member.key));
      if (!result) return result;
    }
    return ::testing::AssertionSuccess();
  }
  const bool equal = JsonWriter().Value(expected).Take() == JsonWriter().Value(found).Take();
  return equal ? ::testing::AssertionSuccess() : fail();
}

class Behaviour : public ::testing::TestWithParam<Case> {
 protected:
  const JsonValue& Get(std::string_view key) const {
    static const JsonValue null;
    const JsonValue* value = GetParam().json.Find(key);
    return value ? *value : null;
  }

  DecideOptions Options() const {
    DecideOptions options;
    options.reference = GetParam().json.Find("reference") != nullptr;
    const std::string over = Text(&Get("over_length"), "reject");
    options.over_length = over == "window"     ? OverLength::kWindow
                          : over == "truncate" ? OverLength::kTruncate
                                               : OverLength::kReject;
    const std::string mode = Text(&Get("options"), "fit");
    options.options = mode == "group"    ? OptionsMode::kGroup
                      : mode == "refuse" ? OptionsMode::kRefuse
                                         : OptionsMode::kFit;
    return options;
  }

  SequenceRules Rules() const {
    SequenceRules rules = WordRules(Number(GetParam().json.Find("max_len"), 512),
                                    Number(GetParam().json.Find("head_max_len"), 192));
    rules.truncate_left = GetParam().json.Find("truncate_left") != nullptr;
    return rules;
  }

  // The request as text: "body" is raw, for JSON that is not well formed.
  std::string Body() const {
    if (const std::string* body = Get("body").AsString()) return *body;
    return JsonWriter().Value(Get("request")).Take();
  }

  void ExpectError(const Error& error, const JsonValue& expected) {
    EXPECT_THAT(error.message, ::testing::HasSubstr(Text(expected.Find("message"))));
    if (const JsonValue* path = expected.Find("path")) {
      EXPECT_EQ(error.path, Text(path));
    }
    const auto code = Text(expected.Find("code"), "request") == "request" ? ErrorCode::kRequest
                                                                          : ErrorCode::kOverLength;
    EXPECT_EQ(static_cast<int>(error.code), static_cast<int>(code));
    const JsonValue parsed = ParseJson(FormatError(error)).value();
    EXPECT_EQ(Text(parsed.Find("message")), error.message);
    EXPECT_EQ(Text(parsed.Find("path")), error.path);
  }

  void ExpectQuestion(const Question& question, const JsonValue& expected) {
    if (const JsonValue* text = expected.Find("instructions")) {
      EXPECT_EQ(question.instructions, Text(text));
    }
    JsonValue texts{JsonArray()}, names{JsonArray()};
    for (const Option& option : question.options) {
      std::get<JsonArray>(texts.value).push_back({option.text});
      std::get<JsonArray>(names.value).push_back({option.name});
    }
    if (const JsonValue* list = expected.Find("texts")) {
      EXPECT_TRUE(Matches(*list, texts, false));
    }
    if (const JsonValue* list = expected.Find("names")) {
      EXPECT_TRUE(Matches(*list, names, false));
    }
  }

  void ExpectPlan(const Question& question, const QuestionPlan& plan, const JsonValue& expected) {
    if (const JsonValue* words = expected.Find("words")) {
      ASSERT_EQ(words->AsArray()->size(), plan.sequences.size());
      for (size_t i = 0; i < plan.sequences.size(); ++i) {
        EXPECT_EQ(WordsOf(plan.sequences[i].ids), Text(&(*words->AsArray())[i])) << i;
      }
    }
    if (const JsonValue* members = expected.Find("plan")) {
      EXPECT_TRUE(Matches(*members, ParseJson(FormatPlan(question, plan)).value(), true));
    }
    if (const JsonValue* lines = expected.Find("warnings")) {
      JsonValue found{JsonArray()};
      for (const std::string& line : DescribeCuts(question, plan)) {
        std::get<JsonArray>(found.value).push_back({line});
      }
      EXPECT_TRUE(Matches(*lines, found, false));
    }
  }

  // One answer per question from the logits given, a list per sequence, by slot.
  Response Answer(const Request& request, std::vector<QuestionPlan> plans) {
    Response response;
    response.model = "test-model";
    Temperatures temperatures;
    if (const JsonValue* buckets = GetParam().json.Find("temperatures")) {
      for (const JsonMember& member : *buckets->AsObject()) {
        temperatures.by_bucket[member.key] = member.value.AsNumber()->ToDouble();
      }
    }
    const std::vector<float> actions = {3.0f, 3.0f};
    for (size_t q = 0; q < request.questions.size(); ++q) {
      const Question& question = request.questions[q];
      std::vector<std::vector<float>> logits;
      for (const JsonValue& row : *Get("logits").Find(question.id)->AsArray()) {
        logits.push_back(Numbers<float>(row));
      }
      std::vector<SequenceOutput> outputs;
      for (const auto& row : logits) outputs.push_back({row, actions});
      auto answer = ReadOut(question, plans[q], outputs, temperatures);
      EXPECT_TRUE(answer) << answer.error().message;
      response.answers.push_back(answer.value_or(dikast::Answer()));
    }
    response.usage = CountUsage(request, plans, Options());
    response.plans = std::move(plans);
    return response;
  }
};

TEST_P(Behaviour, IsAsRecorded) {
  const JsonValue& json = GetParam().json;
  SCOPED_TRACE(Text(json.Find("name")));
  const JsonValue* error = json.Find("error");
  const Result<Request> request = ParseRequest(Body(), Options());
  if (!request) {
    ASSERT_TRUE(error) << request.error().message << " at " << request.error().path;
    return ExpectError(request.error(), *error);
  }
  auto plans = PlanRequest(*request, Options(), WordTokenizer(), Rules());
  if (!plans) {
    ASSERT_TRUE(error) << plans.error().message << " at " << plans.error().path;
    return ExpectError(plans.error(), *error);
  }
  ASSERT_FALSE(error) << "accepted";
  if (const JsonValue* questions = json.Find("questions")) {
    for (size_t q = 0; q < request->questions.size(); ++q) {
      const JsonValue* expected = questions->Find(request->questions[q].id);
      if (!expected) continue;
      ExpectQuestion(request->questions[q], *expected);
      ExpectPlan(request->questions[q], (*plans)[q], *expected);
    }
  }
  if (!json.Find("logits")) {
    ASSERT_TRUE(json.Find("questions")) << "this case expects nothing";
    return;
  }
  const Response response = Answer(*request, *std::move(plans));
  if (const JsonValue* body = json.Find("systemone")) {
    EXPECT_TRUE(Matches(*body, ParseJson(FormatSystemOne(*request, response)).value(), false));
  }
  if (const JsonValue* body = json.Find("laya")) {
    const auto laya = ParseJson(FormatLaya(*request, response), JsonDialect::kReference);
    EXPECT_TRUE(Matches(*body, laya.value(), false));
  }
  if (const JsonValue* details = json.Find("details")) {
    EXPECT_TRUE(Matches(*details, ParseJson(FormatDetails(*request, response)).value(), true));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Behaviour, ::testing::ValuesIn(ReadCases()), [](const auto& info) {
  std::string name = info.param.file + "_" + Text(info.param.json.Find("name"));
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + "_" + std::to_string(info.index);
});

// Every fault of the list that this layer is to prevent has a case that names it.
TEST(Behaviour, CoversTheKnownFaults) {
  std::vector<std::string> named;
  for (const Case& next : ReadCases()) {
    if (const JsonValue* fault = next.json.Find("fault")) named.push_back(*fault->AsString());
  }
  for (const char* fault :
       {"TOK-1", "TOK-4", "TOK-8", "TOK-11", "CAL-2", "CAL-9", "CAL-10", "CAL-11", "CAL-14",
        "API-2", "API-4", "API-8", "API-9", "API-10", "API-11"}) {
    EXPECT_THAT(named, ::testing::Contains(fault));
  }
}

}  // namespace
}  // namespace dikast
