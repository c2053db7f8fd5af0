// Properties over random requests and logits. The seed is printed; $DIKAST_SEED repeats a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>

#include "base/json_writer.h"
#include "decision/readout.h"
#include "dikast/format.h"
#include "tests/decision/words.h"

namespace dikast {
namespace {

constexpr int kRounds = 300;

class Properties : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* asked = std::getenv("DIKAST_SEED");
    const uint64_t seed = asked ? std::strtoull(asked, nullptr, 10) : std::random_device()();
    random_.seed(seed);
    std::cout << "DIKAST_SEED=" << seed << '\n';
    RecordProperty("seed", std::to_string(seed));
  }

  size_t Below(size_t limit) { return random_() % limit; }
  size_t Between(size_t low, size_t high) { return low + Below(high - low + 1); }
  double Real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  std::string Words(size_t low, size_t high) {
    std::string text;
    for (size_t count = Between(low, high); count > 0; --count) {
      text += (text.empty() ? "w" : " w") + std::to_string(Below(300));
    }
    return text;
  }

  std::vector<float> Logits(size_t count, double size) {
    std::vector<float> logits;
    for (size_t i = 0; i < count; ++i) logits.push_back(static_cast<float>(Real(-size, size)));
    return logits;
  }

  std::vector<uint32_t> Permutation(size_t count) {
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  // A choice of `count` options whose texts differ.
  Question RandomChoice(size_t count, size_t longest) {
    Question question{.id = "q",
                      .type = QuestionType::kChoice,
                      .instructions = Words(0, 8),
                      .options = {},
                      .order = {}};
    for (size_t i = 0; i < count; ++i) {
      const std::string name = "w" + std::to_string(i);
      question.options.push_back({.label = JsonValue{name},
                                  .criterion = {},
                                  .name = name,
                                  .text = name + ": " + Words(1, longest)});
    }
    return question;
  }

  Request Ask(std::vector<Question> questions, const std::string& state) {
    return {.state = JsonValue{state}, .questions = std::move(questions), .over_length = {}};
  }

  std::mt19937_64 random_;
};

TEST_F(Properties, ProbabilitiesAreADistribution) {
  for (int round = 0; round < kRounds; ++round) {
    const size_t count = Between(1, 255);
    const auto type = round % 2 ? QuestionType::kChoice : QuestionType::kScore;
    Question question = RandomChoice(count, 1);
    question.type = type;
    QuestionPlan plan;
    plan.sequences.emplace_back();
    plan.sequences[0].options = Permutation(count);
    const auto logits = Logits(count, std::pow(10.0, Real(-3, 5)));
    const std::vector<float> actions = {0, 0};
    const SequenceOutput output = {logits, actions};
    const Temperatures temperatures = {.by_type = {Real(0, 6), Real(0, 6), 1}, .by_bucket = {}};
    const Answer answer = ReadOut(question, plan, std::span(&output, 1), temperatures).value();

    const std::vector<double>& p = answer.probabilities;
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
    EXPECT_THAT(p, ::testing::Each(::testing::AllOf(::testing::Ge(0.0), ::testing::Le(1.0))));
    EXPECT_EQ(answer.best, std::max_element(p.begin(), p.end()) - p.begin());
    for (const double confidence : {answer.confidence, answer.entropy_confidence}) {
      EXPECT_GE(confidence, 0);
      EXPECT_LE(confidence, 1);
    }
    EXPECT_GE(answer.score, 0);
    EXPECT_LE(answer.score, static_cast<double>(count - 1));
    if (HasFailure()) break;
  }
}

// What a client may recompute from the body is what the body says.
TEST_F(Properties, TheBodyAgreesWithItself) {
  for (int round = 0; round < kRounds; ++round) {
    Question question = RandomChoice(Between(1, 12), 3);
    if (round % 2) question.type = QuestionType::kScore;
    const Request request = Ask({question}, "w1");
    auto plans = PlanRequest(request, {}, WordTokenizer(), WordRules(512, 192)).value();
    const auto logits = Logits(question.options.size(), 5);
    const std::vector<float> actions = {0, 0};
    const SequenceOutput output = {logits, actions};
    Response response{.model = "m", .answers = {}, .plans = plans, .usage = {}};
    response.answers.push_back(ReadOut(question, plans[0], std::span(&output, 1), {}).value());
    const JsonValue body = ParseJson(FormatSystemOne(request, response)).value();
    const JsonValue& answer = *body.Find("answers")->Find("q");

    double largest = 0, sum = 0, expectation = 0;
    const JsonObject& probabilities = *answer.Find("probabilities")->AsObject();
    ASSERT_EQ(probabilities.size(), question.options.size());
    for (size_t i = 0; i < probabilities.size(); ++i) {
      EXPECT_EQ(probabilities[i].key, question.options[i].name);
      const double p = probabilities[i].value.AsNumber()->ToDouble();
      EXPECT_EQ(p, response.answers[0].probabilities[i]);  // the shortest text reads back exactly
      largest = std::max(largest, p);
      sum += p;
      expectation += static_cast<double>(i) * p;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    if (question.type == QuestionType::kScore) {
      EXPECT_NEAR(answer.Find("score")->AsNumber()->ToDouble(), expectation, 1e-12);
    } else {
      const JsonValue* chosen =
          answer.Find("probabilities")->Find(*answer.Find("choice")->AsString());
      EXPECT_EQ(chosen->AsNumber()->ToDouble(), largest);
    }
    if (HasFailure()) break;
  }
}

// The same logits by option give the same bits, whatever the order in which the model saw them.
TEST_F(Properties, ReadOutForgetsTheOrderShown) {
  for (int round = 0; round < kRounds; ++round) {
    const size_t count = Between(1, 20);
    const Question question = RandomChoice(count, 1);
    const auto logits = Logits(count, 4);
    const std::vector<float> actions = {0, 0};
    const auto read = [&](const std::vector<uint32_t>& order) {
      QuestionPlan plan;
      plan.sequences.emplace_back();
      plan.sequences[0].options = order;
      std::vector<float> shown;
      for (const uint32_t option : order) shown.push_back(logits[option]);
      const SequenceOutput output = {shown, actions};
      return ReadOut(question, plan, std::span(&output, 1), {}).value();
    };
    std::vector<uint32_t> listed(count);
    std::iota(listed.begin(), listed.end(), 0u);
    const Answer expected = read(listed), found = read(Permutation(count));
    EXPECT_EQ(found.probabilities, expected.probabilities);
    EXPECT_EQ(found.best, expected.best);
    if (HasFailure()) break;
  }
}

using Group = std::set<std::string>;

std::set<Group> GroupsOf(const Question& question, const QuestionPlan& plan) {
  std::set<Group> groups;
  for (const TokenPlan& sequence : plan.sequences) {
    Group group;
    for (const uint32_t option : sequence.options) group.insert(question.options[option].text);
    groups.insert(group);
  }
  return groups;
}

TEST_F(Properties, GroupsDependOnTheSetOfOptionsAlone) {
  int grouped = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Question question = RandomChoice(Between(2, 80), 30);
    const SequenceRules rules = WordRules(512, static_cast<uint32_t>(Between(100, 256)));
    const OptionsMode mode = round % 2 ? OptionsMode::kFit : OptionsMode::kGroup;
    const DecideOptions options = {.over_length = OverLength::kReject, .options = mode};
    const auto plan_of = [&](const Question& asked) {
      return PlanRequest(Ask({asked}, "w1"), options, WordTokenizer(), rules).value()[0];
    };
    const QuestionPlan plan = plan_of(question);
    grouped += plan.cuts.groups > 1;

    Question shuffled = question;
    std::shuffle(shuffled.options.begin(), shuffled.options.end(), random_);
    EXPECT_EQ(GroupsOf(shuffled, plan_of(shuffled)), GroupsOf(question, plan));
    Question ordered = question;
    ordered.order = Permutation(question.options.size());
    EXPECT_EQ(GroupsOf(ordered, plan_of(ordered)), GroupsOf(question, plan));

    // Each option once, in the order sent, in groups of nearly equal size.
    std::vector<uint32_t> seen;
    size_t least = SIZE_MAX, most = 0;
    for (const TokenPlan& sequence : plan.sequences) {
      EXPECT_TRUE(std::is_sorted(sequence.options.begin(), sequence.options.end()));
      seen.insert(seen.end(), sequence.options.begin(), sequence.options.end());
      least = std::min(least, sequence.options.size());
      most = std::max(most, sequence.options.size());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_TRUE(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
    EXPECT_EQ(seen.size(), question.options.size());
    EXPECT_LE(most - least, 1u);
    if (HasFailure()) break;
  }
  EXPECT_GT(grouped, kRounds / 10);
}

// By default nothing is cut but option texts, and each of those cuts is reported.
TEST_F(Properties, EveryCutIsReported) {
  int accepted = 0;
  for (int round = 0; round < kRounds; ++round) {
    Question question = RandomChoice(Between(1, 30), 60);
    question.instructions = Words(0, 60);
    if (round % 3 == 0) question.type = QuestionType::kScore;
    const SequenceRules rules =
        WordRules(static_cast<uint32_t>(Between(60, 512)), static_cast<uint32_t>(Between(40, 256)));
    const auto plans = PlanRequest(Ask({question}, Words(0, 200)), {}, WordTokenizer(), rules);
    if (!plans) {
      EXPECT_EQ(plans.error().code, ErrorCode::kOverLength);
      EXPECT_THAT(plans.error().message, ::testing::StartsWith("question 'q': "));
      continue;
    }
    ++accepted;
    const QuestionPlan& plan = (*plans)[0];
    EXPECT_EQ(plan.cuts.state_tokens_kept, plan.cuts.state_tokens);
    EXPECT_EQ(plan.cuts.instruction_tokens_kept, plan.cuts.instruction_tokens);
    std::map<uint32_t, uint32_t> kept;
    for (const auto& cut : plan.cuts.options) kept[cut.option] = cut.kept;
    for (const TokenPlan& sequence : plan.sequences) {
      EXPECT_LE(sequence.ids.size(), rules.max_len);
      for (size_t s = 0; s < sequence.markers.size(); ++s) {
        EXPECT_EQ(sequence.ids[sequence.markers[s]], rules.mask);
        const Option& option = question.options[sequence.options[s]];
        std::vector<int32_t> ids;
        ASSERT_TRUE(WordTokenizer().Encode(" " + option.text, AddedTokens::kText, ids));
        const auto cut = kept.find(sequence.options[s]);
        if (cut != kept.end()) ids.resize(cut->second);
        const auto begin = sequence.ids.begin() + sequence.markers[s] + 1;
        const auto end = std::find_if(begin, sequence.ids.end(), [&](int32_t id) {
          return id == rules.mask || id == rules.sep;
        });
        EXPECT_EQ(std::vector<int32_t>(begin, end), ids);
      }
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(accepted, kRounds / 10);
}

TEST_F(Properties, AQuestionIsPlannedAsIfItStoodAlone) {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Question> questions;
    for (size_t i = Between(2, 5); i > 0; --i) {
      questions.push_back(RandomChoice(Between(1, 12), 12));
      questions.back().id = "q" + std::to_string(i);
    }
    const DecideOptions options = {.over_length =
                                       round % 2 ? OverLength::kWindow : OverLength::kTruncate};
    const SequenceRules rules = WordRules(128, 100);
    const std::string state = Words(0, 300);
    const auto together = PlanRequest(Ask(questions, state), options, WordTokenizer(), rules);
    if (!together) continue;
    for (size_t q = 0; q < questions.size(); ++q) {
      const auto alone = PlanRequest(Ask({questions[q]}, state), options, WordTokenizer(), rules);
      EXPECT_EQ(FormatPlan(questions[q], (*alone)[0]), FormatPlan(questions[q], (*together)[q]));
    }
    if (HasFailure()) break;
  }
}

// Damaged bodies are refused with a message or read; nothing else happens.
TEST_F(Properties, DamagedRequestsAreAnswered) {
  const std::string whole =
      R"({"state":{"a":[1,2.5,"é"]},"questions":{"q":{"type":"choice","instructions":"w1",)"
      R"("criteria":{"a":"w1","b":null},"option_order":[1,0]},"s":{"type":"score","criteria":["x",)"
      R"({"y":1}]},"n":{"type":"noul","labels":{"false":"no","true":"yes"}}},"over_length":"window"})";
  for (int round = 0; round < kRounds * 10; ++round) {
    std::string body = whole;
    for (size_t edits = Between(1, 3); edits > 0; --edits) {
      const size_t at = Below(body.size());
      const std::string pieces[] = {"null", "[", "}", "\"", "1e999", ":", ",", "\\ud800", "\xff"};
      if (Below(2)) {
        body.erase(at, Between(1, 12));
      } else {
        body.insert(at, pieces[Below(std::size(pieces))]);
      }
    }
    const DecideOptions options = {.reference = round % 2 == 0};
    const auto request = ParseRequest(body, options);
    if (!request) {
      EXPECT_FALSE(request.error().message.empty()) << body;
      EXPECT_EQ(request.error().code, ErrorCode::kRequest) << body;
      continue;
    }
    const auto plans = PlanRequest(*request, options, WordTokenizer(), WordRules(64, 48));
    if (!plans) {
      EXPECT_FALSE(plans.error().path.empty()) << body;
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace dikast
