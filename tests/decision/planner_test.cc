// Requests that a program builds itself, past ParseRequest.
#include "decision/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tests/decision/words.h"
#include "text/utf8.h"

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

Result<std::vector<QuestionPlan>> Plan(Question question, const DecideOptions& options = {},
                                       std::optional<uint32_t> orders = {}) {
  const Request request = {.state = JsonValue{std::string("w1")},
                           .questions = {std::move(question)},
                           .over_length = {},
                           .orders = orders};
  return PlanRequest(request, options, WordTokenizer(), WordRules(512, 192));
}

std::vector<std::vector<uint32_t>> OrdersOf(const QuestionPlan& plan) {
  std::vector<std::vector<uint32_t>> orders;
  for (const TokenPlan& sequence : plan.sequences) orders.push_back(sequence.options);
  return orders;
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

TEST(PlanRequest, RefusesTextsThatAreNoUtf8) {
  const std::vector<std::string> wrong = {"\xF0", "w1 \xC3", "\xED\xA0\x80", "\x80", "w1\xFF w1"};
  for (const std::string& text : wrong) {
    std::array<Question, 4> questions;
    questions.fill(MakeQuestion(QuestionType::kChoice, 2));
    questions[0].id = questions[1].instructions = text;
    questions[2].options[1].name = questions[3].options[1].text = text;
    for (const Question& question : questions) {
      const auto plans = Plan(question);
      ASSERT_FALSE(plans);
      EXPECT_EQ(plans.error().code, ErrorCode::kRequest);
      EXPECT_EQ(plans.error().path, "/questions");
      EXPECT_THAT(plans.error().message, testing::HasSubstr("is not valid UTF-8 at byte"));
      EXPECT_EQ(FirstInvalidUtf8(plans.error().message), std::string::npos);
    }
  }
}

// In reference mode only a lost marker is refused, and which option stands last decides that.
TEST(PlanRequest, LooksForLostMarkersInEveryOrder) {
  Question question = MakeQuestion(QuestionType::kChoice, 2);
  question.instructions = "w1 w1 w1";
  for (int i = 0; i < 60; ++i) question.options[0].text += " w1";
  const auto plan = [&](uint32_t max_len, uint32_t orders) {
    const Request request = {.state = JsonValue{std::string("w1")},
                             .questions = {question},
                             .over_length = {},
                             .orders = {}};
    return PlanRequest(request, {.orders = orders, .reference = true}, WordTokenizer(),
                       WordRules(max_len, 192));
  };
  EXPECT_TRUE(plan(58, 2));
  for (const uint32_t orders : {1, 2}) {
    const auto lost = plan(57, orders);  // the marker of the second option would be the 58th token
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, ErrorCode::kOverLength);
  }
}

TEST(PlanRequest, TakesQuestionsThatAProgramMakes) {
  const auto plans = Plan(MakeQuestion(QuestionType::kChoice, 2, {1, 0}));
  ASSERT_TRUE(plans);
  EXPECT_EQ(WordsOf((*plans)[0].sequences[0].ids),
            "[CLS] choice question : w1 [SEP] [MASK] w1 [MASK] w0 [SEP] w1 [SEP]");
}

using Orders = std::vector<std::vector<uint32_t>>;

TEST(Orders, AreCyclicAndSpreadEvenly) {
  const auto orders = [](size_t options, uint32_t count, QuestionType type) {
    return OrdersOf(Plan(MakeQuestion(type, options), {.orders = count}).value()[0]);
  };
  EXPECT_EQ(orders(3, 1, QuestionType::kChoice), (Orders{{0, 1, 2}}));
  EXPECT_EQ(orders(2, 4, QuestionType::kChoice), (Orders{{0, 1}, {1, 0}}));
  EXPECT_EQ(orders(4, 2, QuestionType::kChoice), (Orders{{0, 1, 2, 3}, {2, 3, 0, 1}}));
  EXPECT_EQ(orders(5, 3, QuestionType::kChoice),
            (Orders{{0, 1, 2, 3, 4}, {1, 2, 3, 4, 0}, {3, 4, 0, 1, 2}}));
  EXPECT_EQ(orders(1, 4, QuestionType::kChoice), (Orders{{0}}));
  EXPECT_EQ(orders(3, 4, QuestionType::kScore), (Orders{{0, 1, 2}}));
  EXPECT_EQ(orders(2, 4, QuestionType::kNoul), (Orders{{0, 1}}));
}

TEST(Orders, StartFromTheOrderSentAndTheRequestsOwnNumberWins) {
  const auto plans = Plan(MakeQuestion(QuestionType::kChoice, 3, {2, 0, 1}), {.orders = 4}, 2u);
  EXPECT_EQ(OrdersOf((*plans)[0]), (Orders{{2, 0, 1}, {0, 1, 2}}));
  EXPECT_EQ((*plans)[0].orders, 2u);
}

// Every option in every place of its group; no group changes its members.
TEST(Orders, RotateInsideGroups) {
  Question question = MakeQuestion(QuestionType::kChoice, 24);
  for (Option& option : question.options) {
    for (int i = 0; i < 20; ++i) option.text += " w" + std::to_string(i);
  }
  const QuestionPlan once = Plan(question, {.options = OptionsMode::kGroup}).value()[0];
  const QuestionPlan plan =
      Plan(question, {.options = OptionsMode::kGroup, .orders = 4}).value()[0];
  ASSERT_GT(once.cuts.groups, 1u);
  ASSERT_EQ(plan.sequences.size(), 4 * once.sequences.size());
  EXPECT_EQ(plan.SequencesPerWindow(), plan.sequences.size());
  for (size_t g = 0; g < once.sequences.size(); ++g) {
    EXPECT_EQ(plan.sequences[4 * g].ids, once.sequences[g].ids);
    std::set<std::vector<uint32_t>> orders;
    for (size_t order = 0; order < 4; ++order) {
      std::vector<uint32_t> options = plan.sequences[4 * g + order].options;
      EXPECT_TRUE(orders.insert(options).second);
      EXPECT_THAT(options, testing::UnorderedElementsAreArray(once.sequences[g].options));
    }
  }
}

}  // namespace
}  // namespace dikast
