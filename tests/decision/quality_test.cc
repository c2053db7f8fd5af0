// Figures counted by hand.
#include "dikast/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "decision/calibration.h"
#include "decision/readout.h"

namespace dikast {
namespace {

constexpr double kNear = 1e-12;

Outcome Noul(double truth, uint32_t right) {
  return {QuestionType::kNoul, {1 - truth, truth}, right};
}

TEST(Measure, NothingOfNothing) {
  const Figures figures = Measure({});
  EXPECT_EQ(figures.rows, 0u);
  EXPECT_EQ(figures.accuracy, 0);
  EXPECT_FALSE(figures.ordinal);
}

TEST(Measure, AccuracyAndLosses) {
  const Figures figures =
      Measure(std::vector<Outcome>{Noul(0.8, 1),
                                   Noul(0.6, 0),
                                   {QuestionType::kChoice, {0.5, 0.5, 0}, 0},
                                   {QuestionType::kChoice, {0.25, 0.75, 0}, 2}});
  EXPECT_EQ(figures.rows, 4u);
  EXPECT_EQ(figures.right, 2u);  // of equal probabilities the first listed counts
  EXPECT_EQ(figures.accuracy, 0.5);
  // Wilson for 2 of 4.
  EXPECT_NEAR(figures.accuracy_low, 0.150039, 1e-6);
  EXPECT_NEAR(figures.accuracy_high, 0.849961, 1e-6);
  EXPECT_NEAR(figures.nll, -(std::log(0.8) + std::log(0.4) + std::log(0.5) + std::log(1e-15)) / 4,
              kNear);
  EXPECT_EQ(figures.zeros, 1u);
  EXPECT_NEAR(figures.brier, (0.08 + 0.72 + 0.5 + (0.0625 + 0.5625 + 1)) / 4, kNear);
}

TEST(Measure, CalibrationErrorIsTheGapOfTheBins) {
  // Bin (11/15, 12/15] holds 0.8 and 0.75, one of two right; bin (14/15, 1] holds 1.
  const Figures figures = Measure(std::vector<Outcome>{Noul(0.8, 1), Noul(0.25, 1), Noul(1, 1)});
  const auto& bins = figures.calibration.bins;
  EXPECT_EQ(bins[11].rows, 2u);
  EXPECT_NEAR(bins[11].confidence, 0.775, kNear);
  EXPECT_EQ(bins[11].accuracy, 0.5);
  EXPECT_EQ(bins[14].rows, 1u);
  EXPECT_NEAR(figures.calibration.ece, (std::abs(1.55 - 1) + 0) / 3, kNear);
}

// Labels drawn from the probabilities themselves: the error is what the floor expects of it.
TEST(Measure, HonestProbabilitiesLieAtTheFloor) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  std::vector<Outcome> honest, boastful;
  for (int i = 0; i < 4000; ++i) {
    const double p = 0.5 + uniform(random) / 2;
    const uint32_t right = uniform(random) < p ? 1 : 0;
    honest.push_back(Noul(p, right));
    boastful.push_back(Noul(0.5 + p / 2, right));
  }
  const CalibrationError fair = Measure(honest).calibration, bad = Measure(boastful).calibration;
  EXPECT_GT(fair.floor, 0.005);
  EXPECT_GT(fair.floor_95, fair.floor);
  EXPECT_LT(fair.ece, 1.5 * fair.floor_95);
  EXPECT_NEAR(bad.ece, 0.125, 0.02);
  EXPECT_GT(bad.ece, 5 * bad.floor);
}

TEST(Measure, SelectiveFigures) {
  // By falling confidence: right, right, wrong, right, wrong.
  const std::vector<Outcome> outcomes = {Noul(0.7, 1), Noul(0.99, 1), Noul(0.9, 1), Noul(0.8, 0),
                                         Noul(0.6, 0)};
  EXPECT_THAT(RiskByCoverage(outcomes),
              testing::ElementsAre(0, 0, testing::DoubleNear(1.0 / 3, kNear), 0.25, 0.4));
  const SelectiveFigures figures = Measure(outcomes).selective;
  EXPECT_EQ(figures.accuracy_at_80, 0.75);
  EXPECT_EQ(figures.accuracy_at_95, 0.75);  // 4 of 5 rows: the fifth would be more than 95 %
  EXPECT_EQ(figures.coverage_at_5, 0.4);
  EXPECT_NEAR(figures.aurc, (1.0 / 3 + 0.25 + 0.4) / 5, kNear);
}

TEST(Measure, OrdinalFigures) {
  const OrdinalFigures figures =
      *Measure(std::vector<Outcome>{{QuestionType::kScore, {0, 0.5, 0.5}, 2},
                                    {QuestionType::kScore, {1, 0, 0}, 0},
                                    Noul(1, 1)})
           .ordinal;
  EXPECT_EQ(figures.rows, 2u);
  EXPECT_NEAR(figures.mae, 0.25, kNear);   // expected level 1.5 against 2
  EXPECT_NEAR(figures.rps, 0.125, kNear);  // 0.5^2 at the middle level
  // Levels 1 and 0 said, 2 and 0 right. Observed 0.25; by chance (1 + 0.25 + 0.25) / 2.
  EXPECT_NEAR(figures.qwk.value(), 1 - 0.25 / 0.75, kNear);
}

TEST(CompareOrders, CountsFlips) {
  const std::vector<std::vector<double>> first = {{0.6, 0.4}, {0.9, 0.1}},
                                         second = {{0.4, 0.6}, {0.9, 0.1}};
  const OrderEffect effect = CompareOrders(first, second);
  EXPECT_EQ(effect.rows, 2u);
  EXPECT_EQ(effect.flips, 1u);
  EXPECT_NEAR(effect.largest_change, 0.2, kNear);
  EXPECT_NEAR(effect.mean_distance, 0.1, kNear);
}

// Rows whose labels are drawn at `temperature`.
std::vector<LogitRow> DrawRows(QuestionType type, size_t options, double temperature, int count) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, 3);
  std::vector<LogitRow> rows;
  for (int i = 0; i < count; ++i) {
    LogitRow row{.type = type, .logits = {}};
    for (size_t o = 0; o < options; ++o) row.logits.push_back(static_cast<float>(normal(random)));
    const std::vector<double> p = Softmax(row.logits, temperature);
    row.right = std::discrete_distribution<uint32_t>(p.begin(), p.end())(random);
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST(FitTemperatures, FindsTheTemperatureOfTheLabels) {
  std::vector<LogitRow> rows = DrawRows(QuestionType::kChoice, 4, 2, 6000);
  for (const LogitRow& row : DrawRows(QuestionType::kChoice, 8, 1, 6000)) rows.push_back(row);
  const Temperatures fitted = FitTemperatures(rows, {});
  EXPECT_NEAR(fitted.by_bucket.at("choice:3-5"), 2, 0.15);
  EXPECT_NEAR(fitted.by_bucket.at("choice:6-10"), 1, 0.1);
  EXPECT_GT(fitted.by_type[0], 1.1);
  EXPECT_LT(fitted.by_type[0], 1.9);
}

TEST(FitTemperatures, StaysInsideTheRangeOfTheDecoder) {
  const auto fitted = [](double temperature) {
    return FitTemperatures(DrawRows(QuestionType::kNoul, 2, temperature, 500), {}).by_type[2];
  };
  EXPECT_NEAR(fitted(0.05), 0.5, 1e-3);
  EXPECT_NEAR(fitted(100), 5, 1e-3);
}

TEST(FitTemperatures, TypesWithFewRowsKeepWhatTheyHave) {
  const Temperatures present = {.by_type = {1.5, 2.5, 3.5},
                                .by_bucket = {{"score:2", 2}, {"noul:2", 4}, {"choice:2", 3}}};
  std::vector<LogitRow> rows = DrawRows(QuestionType::kNoul, 2, 1, 49);
  for (const LogitRow& row : DrawRows(QuestionType::kChoice, 2, 1, 99)) rows.push_back(row);
  const Temperatures fitted = FitTemperatures(rows, present);
  EXPECT_EQ(fitted.by_type[1], 2.5);
  EXPECT_EQ(fitted.by_type[2], 3.5);
  EXPECT_EQ(fitted.by_bucket.at("noul:2"), 4);
  EXPECT_EQ(fitted.by_bucket.at("score:2"), 2);
  EXPECT_NE(fitted.by_type[0], 1.5);
  EXPECT_FALSE(fitted.by_bucket.contains("choice:2"));  // 99 rows: the temperature of its type
}

// A checkpoint may hold any number and any name of a bucket; a calibration file may not.
TEST(FitTemperatures, WhatIsKeptCanBeReadAgain) {
  const Temperatures present = {.by_type = {0, -3, 9},
                                .by_bucket = {{"score:3-5", 0}, {"score:4", 1}, {"bool:2", 2}}};
  const Temperatures fitted = FitTemperatures({}, present);
  EXPECT_THAT(fitted.by_type, testing::ElementsAre(0.5, 0.5, 5));
  EXPECT_THAT(fitted.by_bucket, testing::ElementsAre(testing::Pair("score:3-5", 0.5)));
  const auto read = ParseCalibration(FormatCalibration(fitted, "a", "{}"), "a");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->by_bucket, fitted.by_bucket);
}

TEST(FitTemperatures, DoNotChangeFirstChoices) {
  const std::vector<LogitRow> rows = DrawRows(QuestionType::kChoice, 6, 2, 300);
  const std::vector<Outcome> before = AtTemperatures(rows, {});
  const std::vector<Outcome> after = AtTemperatures(rows, FitTemperatures(rows, {}));
  EXPECT_EQ(Measure(before).right, Measure(after).right);
  EXPECT_LT(Measure(after).nll, Measure(before).nll);
}

}  // namespace
}  // namespace dikast
