// Recorded outputs of the official package over the published weights: everything in them that can
// be checked without those weights. What they hold, and what is left out, is in the README beside.
#include <gtest/gtest.h>

#include <cmath>

#include "base/json_writer.h"
#include "decision/confidence.h"
#include "decision/readout.h"
#include "tests/decision/tokenizers.h"
#include "tests/decision/words.h"

namespace dikast {
namespace {

constexpr DecideOptions kReference = {.reference = true};

JsonArray ReadGoldens(const std::string& name) {
  return *ParseJson(ReadTestFile("goldens/" + name), JsonDialect::kStrict, {.values = SIZE_MAX})
              .value()
              .AsArray();
}

double Number(const JsonValue& value) { return value.AsNumber()->ToDouble(); }
const std::string& Text(const JsonValue& value) { return *value.AsString(); }

struct Checkpoint {
  std::string tokenizer;
  SequenceRules rules;
  Temperatures temperatures;
};

Checkpoint CheckpointOf(const std::string& model) {
  const bool multilingual = model.ends_with("multilingual");
  Checkpoint checkpoint;
  checkpoint.tokenizer = multilingual ? "mmbert" : "modernbert";
  checkpoint.rules = TokenizerRules(checkpoint.tokenizer);
  if (model == "typed-decisions") {
    checkpoint.rules.max_len = 1024;
    checkpoint.rules.head_max_len = 256;
  }
  if (model == "laya") {
    checkpoint.temperatures = {
        .by_type = {1.6369030475616455, 1.2514300346374512, 1.983399510383606},
        .by_bucket = {{"choice:2", 1.9063563346862793},
                      {"choice:3-5", 1.7601518630981445},
                      {"choice:6-10", 1.0000158548355103},
                      {"choice:11+", 0.10058280825614929},
                      {"score:3-5", 1.2514300346374512},
                      {"noul:2", 1.983399510383606}}};
  }
  return checkpoint;
}

// {"state", "questions"} of the official interface.
Result<Request> MakeRequest(const JsonValue& state, JsonObject questions) {
  return ParseRequest(
      JsonValue{JsonObject{{"state", state}, {"questions", {std::move(questions)}}}}, kReference);
}

void CompareIds(const Tokenizer& tokenizer, const std::string& text, const JsonValue& expected,
                const std::string& mask_literal) {
  std::string clean = text;
  for (size_t at; (at = clean.find(mask_literal)) != std::string::npos;) {
    clean.replace(at, mask_literal.size(), " ");
  }
  std::vector<int32_t> ids;
  ASSERT_TRUE(tokenizer.Encode(clean, AddedTokens::kMatch, ids));
  EXPECT_EQ(ids, Numbers<int32_t>(expected)) << text;
}

void CompareTokens(const JsonValue& row, const Checkpoint& checkpoint, const Request& request,
                   const std::vector<QuestionPlan>& plans) {
  const Tokenizer& tokenizer = *FindTokenizer(checkpoint.tokenizer);
  const std::string& mask = checkpoint.rules.mask_literal;
  const std::string* state = request.state.AsString();
  CompareIds(tokenizer, state ? *state : *PythonJson(request.state), *row.Find("state_ids"), mask);
  const JsonArray& recorded = *row.Find("questions")->AsArray();
  for (size_t q = 0; q < recorded.size(); ++q) {
    const Question& question = request.questions[q];
    CompareIds(tokenizer,
               std::string(QuestionTypeName(question.type)) + " question: " + question.instructions,
               *recorded[q].Find("head_ids"), mask);
    const JsonArray& options = *recorded[q].Find("option_ids")->AsArray();
    for (size_t i = 0; i < options.size(); ++i) {
      CompareIds(tokenizer, " " + question.options[i].text, options[i], mask);
    }
    EXPECT_EQ(plans[q].sequences[0].ids, Numbers<int32_t>(*recorded[q].Find("ids")));
    EXPECT_EQ(plans[q].sequences[0].markers, Numbers<uint32_t>(*recorded[q].Find("markers")));
  }
  EXPECT_EQ(CountUsage(request, plans, kReference).input_tokens,
            static_cast<uint64_t>(Number(*row.Find("input_tokens"))));
}

void CompareAnswer(const Answer& answer, const JsonValue& expected) {
  constexpr double kTolerance = 6e-5;
  if (expected.IsNull()) return;  // not recorded
  if (answer.type == QuestionType::kNoul) {
    EXPECT_NEAR(answer.score, Number(expected), kTolerance);
    return;
  }
  const JsonArray& fields = *expected.AsArray();
  const auto probabilities = Numbers<double>(fields[0]);
  ASSERT_EQ(probabilities.size(), answer.probabilities.size());
  for (size_t i = 0; i < probabilities.size(); ++i) {
    EXPECT_NEAR(answer.probabilities[i], probabilities[i], kTolerance);
  }
  EXPECT_NEAR(answer.entropy_confidence, Number(fields[1]), kTolerance);
  if (answer.type == QuestionType::kScore) {
    EXPECT_NEAR(answer.score, Number(fields[2]), kTolerance);
  }
}

// A plan of one sequence whose slots are the options, for rows whose tokenizer is missing.
QuestionPlan PlainPlan(const Question& question) {
  QuestionPlan plan;
  plan.sequences.emplace_back();
  for (uint32_t i = 0; i < question.options.size(); ++i) plan.sequences[0].options.push_back(i);
  return plan;
}

TEST(Goldens, Logits) {
  size_t tokens = 0, decoded = 0, skipped = 0;
  for (const JsonValue& row : ReadGoldens("laya-logits.json")) {
    SCOPED_TRACE(Text(*row.Find("model")) + " " + Text(*row.Find("id")));
    const Checkpoint checkpoint = CheckpointOf(Text(*row.Find("model")));
    JsonObject questions;
    for (const JsonValue& question : *row.Find("questions")->AsArray()) {
      questions.push_back({Text(*question.Find("qid")), *question.Find("q")});
    }
    const auto request = MakeRequest(*row.Find("state"), std::move(questions));
    ASSERT_TRUE(request) << request.error().message;
    if (const Tokenizer* tokenizer = FindTokenizer(checkpoint.tokenizer)) {
      const auto plans = PlanRequest(*request, kReference, *tokenizer, checkpoint.rules);
      ASSERT_TRUE(plans) << plans.error().message;
      CompareTokens(row, checkpoint, *request, *plans);
      ++tokens;
    } else {
      ++skipped;
    }
    for (size_t q = 0; q < request->questions.size(); ++q) {
      const JsonValue& recorded = (*row.Find("questions")->AsArray())[q];
      const auto logits = Numbers<float>(*recorded.Find("logits"));
      const auto actions = Numbers<float>(*recorded.Find("act_logits"));
      const SequenceOutput output = {logits, actions};
      const auto answer = ReadOut(request->questions[q], PlainPlan(request->questions[q]),
                                  std::span(&output, 1), checkpoint.temperatures);
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_NEAR(answer->temperature, Number(*recorded.Find("temperature_applied")), 1e-9);
      EXPECT_EQ(answer->act_probability, 1.0);
      CompareAnswer(*answer, *recorded.Find("answer"));
      ++decoded;
    }
  }
  std::cout << "tokens of " << tokens << " rows compared, " << skipped
            << " rows skipped for want of their tokenizer (name a folder in DIKAST_TOKENIZERS); "
            << decoded << " answers decoded\n";
  EXPECT_GT(decoded, 16u);
}

// The recorded numbers are rounded to four decimals, so the formulas hold within what that moves.
void CheckConsistency(const Question& question, const JsonValue& answer) {
  EXPECT_EQ(Text(*answer.Find("type")), QuestionTypeName(question.type));
  if (question.type == QuestionType::kNoul) {
    const double p = Number(*answer.Find("noul"));
    EXPECT_NEAR(Number(*answer.Find("confidence")), std::max(p, 1 - p), 1e-9);
    return;
  }
  std::vector<double> p;
  for (const Option& option : question.options) {
    p.push_back(Number(*answer.Find("probabilities")->Find(option.name)));
  }
  EXPECT_NEAR(EntropyConfidence(question.type, p), Number(*answer.Find("confidence")), 1e-3);
  if (question.type == QuestionType::kChoice) {
    const auto best = static_cast<size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    EXPECT_EQ(question.options[best].name, Text(*answer.Find("choice")));
    return;
  }
  double score = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    score += static_cast<double>(i) * p[i];
    EXPECT_EQ(Text(question.options[i].criterion),
              Text(*answer.Find("legend")->Find(question.options[i].name)));
  }
  EXPECT_NEAR(score, Number(*answer.Find("score")), 5e-4);
}

TEST(Goldens, Answers) {
  size_t counted = 0, skipped = 0;
  for (const JsonValue& row : ReadGoldens("laya-answers.json")) {
    SCOPED_TRACE(JsonWriter().Value(row).Take());
    const Checkpoint checkpoint = CheckpointOf(Text(*row.Find("checkpoint")));
    const auto request = MakeRequest(*row.Find("state"), *row.Find("questions")->AsObject());
    ASSERT_TRUE(request) << request.error().message;
    const JsonValue& result = *row.Find("result");
    ASSERT_EQ(result.Find("answers")->AsObject()->size(), request->questions.size());
    for (const Question& question : request->questions) {
      CheckConsistency(question, *result.Find("answers")->Find(question.id));
    }
    const Tokenizer* tokenizer = FindTokenizer(checkpoint.tokenizer);
    if (!tokenizer) {
      ++skipped;
      continue;
    }
    const auto plans = PlanRequest(*request, kReference, *tokenizer, checkpoint.rules);
    ASSERT_TRUE(plans) << plans.error().message;
    EXPECT_EQ(CountUsage(*request, *plans, kReference).input_tokens,
              static_cast<uint64_t>(Number(*result.Find("usage")->Find("input_tokens"))));
    ++counted;
  }
  std::cout << "usage of " << counted << " rows compared, " << skipped
            << " skipped for want of their tokenizer\n";
}

}  // namespace
}  // namespace dikast
