#include "decision/readout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "decision/confidence.h"

namespace dikast {
namespace {

Question MakeQuestion(QuestionType type, size_t options) {
  Question question{.id = "q", .type = type, .instructions = {}, .options = {}, .order = {}};
  question.options.resize(options);
  return question;
}

QuestionPlan MakePlan(size_t options) {
  QuestionPlan plan;
  plan.sequences.emplace_back();
  plan.sequences[0].options.resize(options);
  std::iota(plan.sequences[0].options.begin(), plan.sequences[0].options.end(), 0u);
  return plan;
}

Result<Answer> Read(QuestionType type, const std::vector<float>& logits,
                    const std::vector<float>& actions = {1.0f, 0.0f},
                    const Temperatures& temperatures = {}) {
  const SequenceOutput output = {logits, actions};
  return ReadOut(MakeQuestion(type, logits.size()), MakePlan(logits.size()), std::span(&output, 1),
                 temperatures);
}

TEST(Bucket, CountsOptions) {
  EXPECT_EQ(Bucket(QuestionType::kChoice, 1), "choice:2");
  EXPECT_EQ(Bucket(QuestionType::kChoice, 2), "choice:2");
  EXPECT_EQ(Bucket(QuestionType::kScore, 3), "score:3-5");
  EXPECT_EQ(Bucket(QuestionType::kScore, 5), "score:3-5");
  EXPECT_EQ(Bucket(QuestionType::kChoice, 6), "choice:6-10");
  EXPECT_EQ(Bucket(QuestionType::kChoice, 10), "choice:6-10");
  EXPECT_EQ(Bucket(QuestionType::kChoice, 11), "choice:11+");
  EXPECT_EQ(Bucket(QuestionType::kNoul, 2), "noul:2");
}

TEST(Temperature, IsTakenByBucketElseByTypeAndClamped) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Temperatures temperatures = {
      .by_type = {0.1, 9.0, nan},
      .by_bucket = {{"choice:3-5", 1.5}, {"choice:11+", 0.1006}, {"score:2", HUGE_VAL}}};
  EXPECT_EQ(TemperatureFor(temperatures, QuestionType::kChoice, 4), 1.5);
  EXPECT_EQ(TemperatureFor(temperatures, QuestionType::kChoice, 40), 0.5);
  EXPECT_EQ(TemperatureFor(temperatures, QuestionType::kChoice, 2), 0.5);
  EXPECT_EQ(TemperatureFor(temperatures, QuestionType::kScore, 4), 5.0);
  EXPECT_EQ(TemperatureFor(temperatures, QuestionType::kScore, 2), 1.0);
  EXPECT_EQ(TemperatureFor(temperatures, QuestionType::kNoul, 2), 1.0);
}

TEST(Confidence, AgreesWithThePublishedChecks) {
  const std::vector<double> choice = {0, 0.11, 0.89}, score = {0, 0.12, 0.88};
  EXPECT_NEAR(SystemOneConfidence(QuestionType::kChoice, choice), 0.84, 0.006);
  EXPECT_NEAR(SystemOneConfidence(QuestionType::kScore, score), 0.82, 0.006);
}

TEST(Confidence, IsZeroWhenUniformAndOneWhenCertain) {
  for (size_t n : {2, 3, 4, 7, 10, 255}) {
    const std::vector<double> uniform(n, 1.0 / static_cast<double>(n));
    std::vector<double> certain(n, 0.0);
    certain[n / 2] = 1;
    for (const auto type : {QuestionType::kChoice, QuestionType::kScore}) {
      EXPECT_NEAR(SystemOneConfidence(type, uniform), 0, 1e-12) << n;
      EXPECT_NEAR(EntropyConfidence(type, uniform), 0, 1e-12) << n;
      EXPECT_EQ(SystemOneConfidence(type, certain), 1) << n;
      EXPECT_NEAR(EntropyConfidence(type, certain), 1, 1e-12) << n;
    }
  }
}

// U = (1/n) sum |i - (n-1)/2|, written as floor(n^2/4)/n in the code.
TEST(Confidence, SpreadIsMeasuredAgainstTheMiddleOfTheScale) {
  const std::vector<double> p = {0.5, 0.2, 0.1, 0.1, 0.1};
  double uniform_spread = 0, spread = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    uniform_spread += std::abs(static_cast<double>(i) - 2.0) / 5;
    spread += p[i] * static_cast<double>(i);
  }
  EXPECT_NEAR(SystemOneConfidence(QuestionType::kScore, p),
              std::max(0.0, 1 - spread / uniform_spread), 1e-12);
}

TEST(ReadOut, TiesGoToTheFirstOptionAndTheLowerLevel) {
  EXPECT_EQ(Read(QuestionType::kChoice, {0, 2, 2, 1})->best, 1u);
  EXPECT_EQ(Read(QuestionType::kScore, {3, 0, 3})->best, 0u);
}

TEST(ReadOut, OneOptionIsCertain) {
  const Answer answer = Read(QuestionType::kChoice, {-1e30f}).value();
  EXPECT_THAT(answer.probabilities, ::testing::ElementsAre(1.0));
  EXPECT_EQ(answer.confidence, 1);
  EXPECT_EQ(answer.entropy_confidence, 1);
}

TEST(ReadOut, ActProbabilityIsTheFirstActionsShare) {
  EXPECT_NEAR(Read(QuestionType::kNoul, {0, 1}, {2, 0})->act_probability, 1 / (1 + std::exp(-2.0)),
              1e-12);
  EXPECT_EQ(Read(QuestionType::kNoul, {0, 1}, {4000, -3000})->act_probability, 1);
  EXPECT_EQ(Read(QuestionType::kNoul, {0, 1}, {7})->act_probability, 1);
}

TEST(ReadOut, HugeLogitsStayFinite) {
  const Answer answer = Read(QuestionType::kChoice, {3e38f, -3e38f, 3e38f}).value();
  EXPECT_THAT(answer.probabilities, ::testing::ElementsAre(0.5, 0, 0.5));
}

TEST(ReadOut, RefusesNumbersThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::vector<float>, std::vector<float>>> broken = {
      {{nan, 0}, {0, 0}}, {{infinity, 0}, {0, 0}}, {{-infinity, 0}, {0, 0}}, {{0, 0}, {nan, 0}}};
  for (const auto& [logits, actions] : broken) {
    const auto answer = Read(QuestionType::kNoul, logits, actions);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kModel);
    EXPECT_THAT(
        answer.error().message,
        ::testing::StartsWith("question 'q': the model gave a number that is not finite; "));
    EXPECT_EQ(answer.error().path, "/questions/q");
  }
}

TEST(ReadOut, RefusesOutputsOfAnotherShape) {
  const std::vector<float> two = {0, 1}, actions = {0};
  const SequenceOutput output = {two, actions};
  const std::vector<SequenceOutput> twice = {output, output};
  const Question question = MakeQuestion(QuestionType::kChoice, 3);
  EXPECT_EQ(ReadOut(question, MakePlan(3), std::span(&output, 1), {}).error().message,
            "question 'q': the model gave 2 logits for 3 options");
  EXPECT_EQ(ReadOut(question, MakePlan(3), twice, {}).error().message,
            "question 'q': the model answered 2 of 1 sequences");
}

// Windows compete with the numbers as published, so the first of two that differ by less wins.
TEST(ReadOut, TheFirstOfEqualWindowsWins) {
  QuestionPlan plan = MakePlan(2);
  plan.sequences.resize(3, plan.sequences[0]);
  plan.windows = {{0, 10}, {5, 15}, {10, 20}};
  plan.cuts.windows = 3;
  const std::vector<std::vector<float>> logits = {{1, 0}, {0, 1}, {0, 1.00001f}};
  const std::vector<float> actions = {0, 0};
  std::vector<SequenceOutput> outputs;
  for (const auto& row : logits) outputs.push_back({row, actions});
  const Answer noul = ReadOut(MakeQuestion(QuestionType::kNoul, 2), plan, outputs, {}).value();
  ASSERT_TRUE(noul.window);
  EXPECT_EQ(noul.window->index, 1u);
  EXPECT_EQ(noul.window->token_start, 5u);
  EXPECT_EQ(noul.window->token_end, 15u);
  EXPECT_EQ(noul.window->count, 3u);
  const Answer choice = ReadOut(MakeQuestion(QuestionType::kChoice, 2), plan, outputs, {}).value();
  EXPECT_EQ(choice.window->index, 0u);
}

// Two groups: the one that holds the answer speaks for the action.
TEST(ReadOut, GroupsShareOneSoftmax) {
  QuestionPlan plan;
  plan.sequences.resize(2);
  plan.sequences[0].options = {2, 0};
  plan.sequences[1].options = {1, 3};
  plan.cuts.groups = 2;
  const std::vector<float> first = {1, 2}, second = {4, 3}, no = {0, 5}, yes = {5, 0};
  const std::vector<SequenceOutput> outputs = {{first, no}, {second, yes}};
  const Answer answer = ReadOut(MakeQuestion(QuestionType::kChoice, 4), plan, outputs, {}).value();
  EXPECT_THAT(answer.logits, ::testing::ElementsAre(2, 4, 1, 3));
  EXPECT_EQ(answer.best, 1u);
  EXPECT_THAT(answer.action_logits, ::testing::ElementsAre(5, 0));
  const Answer whole = Read(QuestionType::kChoice, {2, 4, 1, 3}).value();
  EXPECT_EQ(answer.probabilities, whole.probabilities);
}

// Two orders of one group: the mean of logits is the renormalised mean of log-probabilities.
TEST(ReadOut, OrdersAreAveragedInLogSpace) {
  QuestionPlan plan;
  plan.sequences.resize(2);
  plan.sequences[0].options = {0, 1, 2};
  plan.sequences[1].options = {1, 2, 0};
  plan.orders = 2;
  const std::vector<float> first = {1, 2, 4}, second = {3, 1, 2}, no = {0, 5}, yes = {5, 2};
  const std::vector<SequenceOutput> outputs = {{first, no}, {second, yes}};
  const Temperatures temperatures = {.by_type = {2, 1, 1}, .by_bucket = {}};
  const Answer answer =
      ReadOut(MakeQuestion(QuestionType::kChoice, 3), plan, outputs, temperatures).value();
  EXPECT_THAT(answer.logits, ::testing::ElementsAre(1.5, 2.5, 2.5));
  EXPECT_THAT(answer.action_logits, ::testing::ElementsAre(2.5, 3.5));
  EXPECT_EQ(answer.best, 1u);
  const std::vector<float> by_option = {2, 3, 1};  // the second order
  const std::vector<double> p = Softmax(first, 2), q = Softmax(by_option, 2);
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) sum += std::sqrt(p[i] * q[i]);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(answer.probabilities[i], std::sqrt(p[i] * q[i]) / sum, 1e-12);
  }
}

}  // namespace
}  // namespace dikast
