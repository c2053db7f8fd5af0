#include "runtime/batch_cut.h"

#include <gtest/gtest.h>

#include <random>

namespace dikast {
namespace {

using namespace std::chrono_literals;
using Slices = std::vector<Slice>;
using Sizes = std::vector<SequenceSize>;

constexpr BatchLimits kLimits = {
    .tokens = 100, .sequences = 4, .markers = 20, .sequence_tokens = 80};
const Waiting::Time kNow{1h};

Waiting Of(const Sizes& sizes, std::chrono::milliseconds turn = 0ms,
           std::chrono::milliseconds deadline = 1s) {
  return {kNow + turn, kNow + deadline, sizes};
}

TEST(BatchCut, AnEmptyQueueGivesNothing) {
  const BatchCut cut = CutBatch({}, kNow, kLimits);
  EXPECT_TRUE(cut.slices.empty());
  EXPECT_TRUE(cut.expired.empty());
}

TEST(BatchCut, NeverWaitsForMore) {
  const Sizes one = {{10, 2}};
  EXPECT_EQ(CutBatch(std::vector{Of(one)}, kNow, kLimits).slices, (Slices{{0, 1}}));
}

TEST(BatchCut, FillsByTurnAndSplitsASubmissionBetweenSequences) {
  const Sizes three(3, {30, 2}), two(2, {20, 2});
  const std::vector<Waiting> queue = {Of(three, 5ms), Of(two, 1ms)};
  EXPECT_EQ(CutBatch(queue, kNow, kLimits).slices, (Slices{{1, 2}, {0, 2}}));
}

TEST(BatchCut, TheFirstThatDoesNotFitEndsTheBatch) {
  const Sizes large = {{90, 2}}, small = {{20, 2}};
  const std::vector<Waiting> queue = {Of(small, 0ms), Of(large, 1ms), Of(small, 2ms)};
  EXPECT_EQ(CutBatch(queue, kNow, kLimits).slices, (Slices{{0, 1}}));
}

TEST(BatchCut, MarkersAndSequencesAreLimitsToo) {
  const Sizes many_markers(3, {10, 10}), many_sequences(6, {10, 1});
  EXPECT_EQ(CutBatch(std::vector{Of(many_markers)}, kNow, kLimits).slices, (Slices{{0, 2}}));
  EXPECT_EQ(CutBatch(std::vector{Of(many_sequences)}, kNow, kLimits).slices, (Slices{{0, 4}}));
}

TEST(BatchCut, ASequenceOverTheLimitsGoesAlone) {
  const Sizes huge = {{400, 90}}, small = {{1, 1}};
  const std::vector<Waiting> queue = {Of(huge, 0ms), Of(small, 1ms)};
  EXPECT_EQ(CutBatch(queue, kNow, kLimits).slices, (Slices{{0, 1}}));
}

TEST(BatchCut, WhatIsPastItsDeadlineIsReportedAndNotForwarded) {
  const Sizes one = {{10, 2}};
  const std::vector<Waiting> queue = {Of(one, 0ms, 0ms), Of(one, 1ms, 1ms), Of(one, 2ms, -1ms)};
  const BatchCut cut = CutBatch(queue, kNow, kLimits);
  EXPECT_EQ(cut.slices, (Slices{{1, 1}}));
  EXPECT_EQ(cut.expired, (std::vector<size_t>{0, 2}));
}

TEST(BatchCut, AShortSubmissionPassesALongOneThatCameJustBefore) {
  const Waiting::Time lengthy = TurnOf(kNow, 10'000, 1000), brief = TurnOf(kNow + 1s, 100, 1000);
  EXPECT_LT(brief, lengthy);
  EXPECT_GT(TurnOf(kNow + 10s, 100, 1000), lengthy);  // but not for ever
}

// Random queues: the cut is within the limits, by turn, complete up to its end, and repeatable.
TEST(BatchCut, HoldsItsRulesOnRandomQueues) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Sizes> sizes(random() % 8);
    std::vector<Waiting> queue;
    for (Sizes& s : sizes) {
      s.resize(1 + random() % 5);
      for (SequenceSize& size : s) size = {static_cast<uint32_t>(1 + random() % 60), 1};
      queue.push_back(
          Of(s, std::chrono::milliseconds(random() % 4), 1ms * (int(random() % 5) - 1)));
    }
    const BatchCut cut = CutBatch(queue, kNow, kLimits);
    EXPECT_EQ(cut.slices, CutBatch(queue, kNow, kLimits).slices);
    uint64_t tokens = 0, count = 0;
    Waiting::Time turn = Waiting::Time::min();
    for (const Slice& slice : cut.slices) {
      const Waiting& taken = queue[slice.waiting];
      EXPECT_GT(taken.deadline, kNow);
      EXPECT_LE(turn, taken.turn);
      turn = taken.turn;
      for (size_t s = 0; s < slice.sequences; ++s) tokens += taken.sequences[s].tokens;
      count += slice.sequences;
      if (&slice != &cut.slices.back()) {
        EXPECT_EQ(slice.sequences, taken.sequences.size());
      }
    }
    EXPECT_LE(tokens, kLimits.tokens);
    EXPECT_LE(count, kLimits.sequences);
    EXPECT_EQ(cut.slices.empty(), cut.expired.size() == queue.size());
  }
}

}  // namespace
}  // namespace dikast
