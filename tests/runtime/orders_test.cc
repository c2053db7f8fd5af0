// Several orders of the options, on the bundled model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "dikast/engine.h"
#include "dikast/format.h"

namespace dikast {
namespace {

Engine Load() {
  Result<Engine> engine = Engine::Load({.model = DIKAST_SOURCE_DIR "/models/dikast-mini-v1"});
  if (!engine) throw std::runtime_error(engine.error().message);
  return *std::move(engine);
}

Request Ask(const std::string& members = "") {
  return ParseRequest(R"({"state": "The parcel came late and the box was open.", "questions": {
      "team": {"type": "choice", "instructions": "Who should handle it?",
               "criteria": {"shipping": "late or lost", "billing": "money", "quality": "damage",
                            "other": null}},
      "late": {"type": "noul", "instructions": "Is the parcel late?"}})" +
                          members + "}",
                      {})
      .value();
}

Request Rotated(Request request, uint32_t first) {
  std::vector<uint32_t>& order = request.questions[0].order;
  order.resize(request.questions[0].options.size());
  std::iota(order.begin(), order.end(), 0u);
  std::rotate(order.begin(), order.begin() + first, order.end());
  return request;
}

TEST(Orders, OneIsWhatItAlwaysWas) {
  Engine engine = Load();
  const std::string plain = FormatDetails(Ask(), engine.Decide(Ask(), {}).value());
  EXPECT_EQ(FormatDetails(Ask(), engine.Decide(Ask(), {.orders = 1}).value()), plain);
  EXPECT_EQ(FormatDetails(Ask(), engine.Decide(Ask(R"(, "orders": 1)"), {.orders = 4}).value()),
            plain);
}

TEST(Orders, TheMeanOfAllRotationsForgetsWhereTheyBegan) {
  Engine engine = Load();
  const Answer listed = engine.Decide(Ask(), {.orders = 4}).value().answers[0];
  std::vector<double> sums(4);
  for (uint32_t first = 0; first < 4; ++first) {
    const Request request = Rotated(Ask(), first);
    const Answer averaged = engine.Decide(request, {.orders = 4}).value().answers[0];
    EXPECT_EQ(averaged.logits, listed.logits);
    EXPECT_EQ(averaged.probabilities, listed.probabilities);
    const Answer alone = engine.Decide(request, {}).value().answers[0];
    for (size_t i = 0; i < 4; ++i) sums[i] += alone.logits[i];
    EXPECT_NE(alone.logits, listed.logits);
  }
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(listed.logits[i], static_cast<float>(sums[i] / 4));
}

TEST(Orders, AnswersDoNotDependOnNeighbours) {
  Engine engine = Load();
  const std::vector<Request> requests = {Ask(), Ask(R"(, "orders": 3)"), Rotated(Ask(), 2)};
  std::vector<std::string> alone;
  for (const Request& request : requests) {
    alone.push_back(FormatDetails(request, engine.Decide(request, {.orders = 2}).value()));
  }
  const auto together = engine.DecideMany(requests, {.orders = 2});
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(FormatDetails(requests[i], together[i].value()), alone[i]);
  }
}

TEST(Orders, TheDetailsCountForwardsAndTheBodyStaysAsItIs) {
  Engine engine = Load();
  const Response once = engine.Decide(Ask(), {}).value();
  const Response response = engine.Decide(Ask(), {.orders = 3}).value();
  EXPECT_EQ(response.plans[0].sequences.size(), 3u);
  EXPECT_EQ(response.plans[1].sequences.size(), 1u);
  const uint64_t choice = once.plans[0].sequences[0].ids.size();
  EXPECT_EQ(response.usage.input_tokens, once.usage.input_tokens + 2 * choice);
  const std::string details = FormatDetails(Ask(), response);
  EXPECT_THAT(details, testing::HasSubstr(R"("forwards":3,"orders":3)"));
  EXPECT_THAT(details, testing::HasSubstr(R"("forwards":1,"orders":1)"));
  EXPECT_THAT(FormatSystemOne(Ask(), response), testing::Not(testing::HasSubstr("orders")));
}

}  // namespace
}  // namespace dikast
