#include "server/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dikast::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Metrics, CountsByRouteStatusAndCause) {
  Metrics metrics;
  Exchange answered, refused;
  answered.facts.route = refused.facts.route = "/v1/systemone";
  metrics.OnResponse(answered, {.status = 200}, 0.02);
  metrics.OnResponse(answered, {.status = 200}, 0.02);
  metrics.OnResponse(refused, {.status = 529, .cause = "overloaded_error"}, 0.001);
  const std::string text = metrics.Text(nullptr, nullptr, 7);
  EXPECT_THAT(text, HasSubstr("dikast_requests_total{route=\"/v1/systemone\",status=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("dikast_requests_total{route=\"/v1/systemone\",status=\"529\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("dikast_rejections_total{cause=\"overloaded_error\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("dikast_request_seconds_bucket{le=\"0.025\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("dikast_request_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("dikast_connections 7\n"));
  EXPECT_THAT(text, HasSubstr("dikast_ready 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("dikast_model_info{")));
}

TEST(Metrics, CountsWhatACompletionCost) {
  Metrics metrics;
  Response response;
  response.answers.resize(3);
  response.usage.input_tokens = 228;
  response.usage.truncated_questions = {"a"};
  response.plans.resize(3);
  response.plans[0].cuts.instruction_tokens = 9;
  response.plans[0].cuts.instruction_tokens_kept = 8;
  response.plans[1].cuts.options = {{.option = 0, .tokens = 9, .kept = 8}};
  response.plans[2].cuts.state_tokens = 9;
  Completion completion;
  completion.responses.push_back(response);
  completion.responses.push_back(Fail(ErrorCode::kOverLength, "too long"));
  completion.times.forward = StageTimes::Milliseconds(30);
  completion.forwards = 1;
  metrics.OnCompletion(completion);
  metrics.OnBatch({.sequences = 3, .tokens = 228, .submissions = 1});
  const std::string text = metrics.Text(nullptr, nullptr, 0);
  EXPECT_THAT(text, HasSubstr("dikast_questions_total 3\n"));
  EXPECT_THAT(text, HasSubstr("dikast_input_tokens_total 228\n"));
  EXPECT_THAT(text, HasSubstr("dikast_truncations_total 1\n"));
  EXPECT_THAT(text, HasSubstr("dikast_cuts_total 2\n"));
  EXPECT_THAT(text, HasSubstr("dikast_stage_seconds_bucket{stage=\"forward\",le=\"0.025\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("dikast_stage_seconds_bucket{stage=\"forward\",le=\"0.05\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("dikast_batch_tokens_sum 228\n"));
}

TEST(Metrics, OnlyAnsweredRequestsHaveStages) {
  Metrics metrics;
  Completion refused, planned;
  refused.responses.push_back(Fail(ErrorCode::kCancelled, "gone"));
  refused.forwards = 1;
  planned.responses.emplace_back(Response());
  metrics.OnCompletion(refused);
  metrics.OnCompletion(planned);
  EXPECT_THAT(metrics.Text(nullptr, nullptr, 0),
              HasSubstr("dikast_stage_seconds_count{stage=\"queue\"} 0\n"));
}

TEST(Metrics, LargeCountsAreWhole) {
  Metrics metrics;
  Response response;
  response.usage.input_tokens = 12'345'678'901;
  Completion completion;
  completion.responses.push_back(response);
  metrics.OnCompletion(completion);
  EXPECT_THAT(metrics.Text(nullptr, nullptr, 0),
              HasSubstr("dikast_input_tokens_total 12345678901\n"));
}

// Prometheus' text format: every sample belongs to a family that was announced with its type.
TEST(Metrics, EverySampleHasItsFamily) {
  std::istringstream lines(Metrics().Text(nullptr, nullptr, 0));
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) family = line.substr(7, line.find(' ', 7) - 7);
    if (!line.starts_with("#")) {
      EXPECT_TRUE(line.starts_with(family)) << line << " after " << family;
    }
  }
  EXPECT_EQ(family, "dikast_ready");
}

}  // namespace
}  // namespace dikast::server
