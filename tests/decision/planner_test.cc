// Requests that a program builds itself, past ParseRequest.
#include "decision/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decision/words.h"

namespace dikast {
namespace {

Question MakeQuestion(QuestionType type, size_t options, std::vector<uint32_t> order = {}) {
  Question question{
      .id = "q", .type = type, .instructions = "w1", .options = {}, .order = std::move(order)};
  for (size_t i = 0; i < options; ++i) {
    const std::string name = "w" + std::to_string(i);
    question.options.push_back(
        {.label = JsonValue{name}, .criterion = {}, .name = name, .text = name});
  }
  return question;
}

Result<std::vector<QuestionPlan>> Plan(Question question) {
  const Request request = {
      .state = JsonValue{std::string("w1")}, .questions = {std::move(question)}, .over_length = {}};
  return PlanRequest(request, {}, WordTokenizer(), WordRules(512, 192));
}

TEST(PlanRequest, RefusesQuestionsThatNoParserMakes) {
  const std::vector<Question> unsound = {MakeQuestion(QuestionType::kChoice, 0),
                                         MakeQuestion(QuestionType::kNoul, 1),
                                         MakeQuestion(QuestionType::kNoul, 3),
                                         MakeQuestion(QuestionType::kChoice, 2, {0}),
                                         MakeQuestion(QuestionType::kChoice, 2, {0, 0}),
                                         MakeQuestion(QuestionType::kChoice, 2, {0, 2}),
                                         MakeQuestion(QuestionType::kScore, 2, {0, 1, 2})};
  for (const Question& question : unsound) {
    const auto plans = Plan(question);
    ASSERT_FALSE(plans);
    EXPECT_EQ(plans.error().code, ErrorCode::kRequest);
    EXPECT_EQ(plans.error().path, "/questions/q");
  }
}

TEST(PlanRequest, TakesQuestionsThatAProgramMakes) {
  const auto plans = Plan(MakeQuestion(QuestionType::kChoice, 2, {1, 0}));
  ASSERT_TRUE(plans);
  EXPECT_EQ(WordsOf((*plans)[0].sequences[0].ids),
            "[CLS] choice question : w1 [SEP] [MASK] w1 [MASK] w0 [SEP] w1 [SEP]");
}

}  // namespace
}  // namespace dikast
