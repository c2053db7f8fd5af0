#include "cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <sstream>

namespace dikast::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Option Named(const std::string& name) {
  return {.label = {}, .criterion = {}, .name = name, .text = name};
}

// One question of each type, with known probabilities.
struct Example {
  Example() {
    request.questions = {
        {"team", QuestionType::kChoice, "", {Named("billing"), Named("other")}, {}},
        {"urgency", QuestionType::kScore, "", {Named("0"), Named("1")}, {}},
        {"refund", QuestionType::kNoul, "", {Named("false"), Named("true")}, {}}};
    request.questions[1].options[0].criterion.value = "calm";
    Add(QuestionType::kChoice, {0.75, 0.25}, 0, 0);
    Add(QuestionType::kScore, {0.5, 0.5}, 0, 0.5);
    Add(QuestionType::kNoul, {0.125, 0.875}, 1, 0.875);
    response.model = "mini";
    response.usage.input_tokens = 42;
  }
  void Add(QuestionType type, std::vector<double> probabilities, uint32_t best, double score) {
    Answer answer;
    answer.type = type;
    answer.probabilities = std::move(probabilities);
    answer.best = best;
    answer.score = score;
    answer.confidence = 0.5;
    response.answers.push_back(answer);
  }

  Request request;
  Response response;
};

constexpr Terminal kPlain = {.present = false, .colour = false, .utf8 = false, .columns = 40};

TEST(Table, ShowsEveryQuestion) {
  const Example example;
  EXPECT_EQ(RenderTable(example.request, example.response, kPlain),
            "team: billing  (confidence 0.50)\n"
            "  billing #################       75.0 %\n"
            "  other   ######                  25.0 %\n"
            "\n"
            "urgency: 0.50 of 1  (confidence 0.50)\n"
            "  0 calm  ###########             50.0 %\n"
            "  1       ###########             50.0 %\n"
            "\n"
            "refund: 87.5 % true\n"
            "  false   ###                     12.5 %\n"
            "  true    ###################     87.5 %\n"
            "\n"
            "mini: 3 questions, 42 tokens\n");
}

TEST(Table, EveryBarLineHasTheWidthOfTheTerminal) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  Example example;
  example.request.questions[0].options[1].name = "日本語で書かれたとても長い名前の選択肢です";
  for (size_t columns = 30; columns <= 120; columns += 7) {
    const Terminal terminal = {.present = true, .colour = false, .utf8 = true, .columns = columns};
    std::istringstream lines(RenderTable(example.request, example.response, terminal));
    int bars = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  ")) continue;
      ++bars;
      EXPECT_EQ(DisplayWidth(line), columns) << line;
    }
    EXPECT_EQ(bars, 6);
  }
  std::setlocale(LC_CTYPE, "C");
}

TEST(Table, ColoursOnlyWhereAsked) {
  const Example example;
  Terminal terminal = kPlain;
  EXPECT_THAT(RenderTable(example.request, example.response, terminal), Not(HasSubstr("\x1b")));
  terminal.colour = true;
  EXPECT_THAT(RenderTable(example.request, example.response, terminal), HasSubstr("\x1b[1m"));
}

TEST(Table, NamesCannotDriveTheTerminal) {
  Example example;
  example.request.questions[0].id = "\x1b]0;owned\a";
  example.request.questions[0].options[0].name = "\x1b[2J";
  EXPECT_THAT(RenderTable(example.request, example.response, kPlain), Not(HasSubstr("\x1b")));
}

TEST(Bar, IsProportional) {
  EXPECT_EQ(Bar(0, 8, true), "");
  EXPECT_EQ(Bar(1, 3, true), "███");
  EXPECT_EQ(Bar(0.5, 3, true), "█▌");
  EXPECT_EQ(Bar(0.01, 100, false), "#");
  EXPECT_EQ(Bar(1.5, 4, false), "####");
}

}  // namespace
}  // namespace dikast::cli
