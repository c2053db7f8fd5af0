#include "runtime/batch_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace dikast {
namespace {

using Ranges = std::vector<BatchRange>;

constexpr BatchLimits kLimits = {
    .tokens = 100, .sequences = 3, .markers = 20, .sequence_tokens = 80};

TEST(BatchPlan, NothingNeedsNoBatch) { EXPECT_EQ(PlanBatches({}, kLimits), Ranges{}); }

TEST(BatchPlan, FillsABatchToTheLastToken) {
  const std::vector<SequenceSize> sizes = {{50, 1}, {50, 1}, {1, 1}};
  EXPECT_EQ(PlanBatches(sizes, kLimits), (Ranges{{0, 2}, {2, 3}}));
}

TEST(BatchPlan, MarkersAndSequencesAreLimitsToo) {
  const std::vector<SequenceSize> many_markers = {{10, 15}, {10, 5}, {10, 1}};
  EXPECT_EQ(PlanBatches(many_markers, kLimits), (Ranges{{0, 2}, {2, 3}}));
  const std::vector<SequenceSize> many_sequences(7, {10, 2});
  EXPECT_EQ(PlanBatches(many_sequences, kLimits), (Ranges{{0, 3}, {3, 6}, {6, 7}}));
}

TEST(BatchPlan, NeverSplitsASequence) {
  const std::vector<SequenceSize> sizes = {{10, 1}, {400, 1}, {10, 1}};
  EXPECT_EQ(PlanBatches(sizes, kLimits), (Ranges{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(BatchPlan, LimitsLeaveRoomForTheLongestSequence) {
  const BatchLimits limits = LimitsFor(2048, 4096);
  EXPECT_EQ(limits.tokens, 4096u);
  EXPECT_EQ(limits.markers, 4096u);
  EXPECT_EQ(limits.sequence_tokens, 4096u);
  EXPECT_GE(LimitsFor(1, 1).sequences, 1u);
}

// Batches cover the list in order, respect the limits, and no batch could take its successor's
// first sequence.
void CheckPlan(const std::vector<SequenceSize>& sizes, const BatchLimits& limits) {
  const Ranges ranges = PlanBatches(sizes, limits);
  size_t next = 0;
  for (const BatchRange& range : ranges) {
    EXPECT_EQ(range.begin, next);
    ASSERT_LT(range.begin, range.end);
    uint64_t tokens = 0, markers = 0;
    for (size_t i = range.begin; i < range.end; ++i) {
      tokens += sizes[i].tokens;
      markers += sizes[i].markers;
    }
    EXPECT_LE(tokens, limits.tokens);
    EXPECT_LE(markers, limits.markers);
    EXPECT_LE(range.end - range.begin, limits.sequences);
    next = range.end;
    if (next == sizes.size()) break;
    EXPECT_TRUE(tokens + sizes[next].tokens > limits.tokens ||
                markers + sizes[next].markers > limits.markers ||
                range.end - range.begin == limits.sequences);
  }
  EXPECT_EQ(next, sizes.size());
}

TEST(BatchPlan, RandomListsAreCoveredGreedily) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    std::vector<SequenceSize> sizes(random() % 40);
    for (SequenceSize& size : sizes) {
      size = {6 + static_cast<uint32_t>(random() % 250), 1 + static_cast<uint32_t>(random() % 60)};
    }
    CheckPlan(sizes, LimitsFor(256 + random() % 1000, 256));
  }
}

}  // namespace
}  // namespace dikast
