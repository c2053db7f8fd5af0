// The engine on the bundled model.
#include "dikast/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "dikast/format.h"

namespace dikast {
namespace {

using testing::HasSubstr;

const std::filesystem::path kModel = DIKAST_SOURCE_DIR "/models/dikast-mini-v1";

Engine Load(EngineOptions options = {}) {
  options.model = kModel;
  Result<Engine> engine = Engine::Load(options);
  if (!engine) throw std::runtime_error(engine.error().message);
  return *std::move(engine);
}

// Eight requests of one to three questions whose lengths differ by a factor of ten.
std::vector<Request> Requests() {
  std::vector<Request> requests;
  for (int i = 0; i < 8; ++i) {
    std::string state;
    for (int repeat = 0; repeat <= i * 4; ++repeat)
      state += "Order " + std::to_string(i) + " is late. ";
    std::string questions = R"("late": {"type": "noul", "instructions": "Is the order late?"})";
    if (i % 2 == 0) {
      questions += R"(, "tone": {"type": "score", "criteria": ["calm", "firm", "angry"],
                       "instructions": "How upset is the customer?"})";
    }
    if (i % 3 == 0) {
      questions += R"(, "team": {"type": "choice", "instructions": "Who should handle it?",
                       "criteria": {"shipping": "late or lost", "billing": "money", "other": null}})";
    }
    requests.push_back(
        ParseRequest(R"({"state": ")" + state + R"(", "questions": {)" + questions + "}}", {})
            .value());
  }
  return requests;
}

// Shortest round-trip numbers: equal text is equal bits.
std::string Bits(const Request& request, const Response& response) {
  return FormatDetails(request, response);
}

// Each request asked alone.
std::vector<std::string> Alone(Engine& engine, const std::vector<Request>& requests) {
  std::vector<std::string> texts;
  for (const Request& request : requests) {
    texts.push_back(Bits(request, engine.Decide(request, {}).value()));
  }
  return texts;
}

TEST(Engine, AnswersDoNotDependOnTheBatchTheyAreIn) {
  const std::vector<Request> requests = Requests();
  Engine engine = Load();
  const std::vector<std::string> alone = Alone(engine, requests);
  const std::vector<Result<Response>> together = engine.DecideMany(requests, {});
  ASSERT_EQ(together.size(), requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(Bits(requests[i], together[i].value()), alone[i]);
  }
}

TEST(Engine, AnswersDoNotDependOnBatchSizeOrThreads) {
  const std::vector<Request> requests = Requests();
  Engine first = Load({.threads = 1});
  const std::vector<std::string> expected = Alone(first, requests);
  for (const uint32_t batch_tokens : {512u, 700u, 8192u}) {
    Engine engine = Load({.threads = 2, .batch_tokens = batch_tokens});
    const std::vector<Result<Response>> together = engine.DecideMany(requests, {});
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(Bits(requests[i], together[i].value()), expected[i]) << batch_tokens;
    }
  }
}

TEST(Engine, EveryIsaGivesNearlyTheSameProbabilities) {
  const std::vector<Request> requests = Requests();
  Engine scalar = Load({.isa = "scalar"});
  EXPECT_EQ(scalar.info().isa, "scalar");
  const Response expected = scalar.Decide(requests[0], {}).value();
  for (const std::string& isa : AvailableIsas()) {
    Engine engine = Load({.isa = isa});
    EXPECT_EQ(engine.info().isa, isa);
    const Response response = engine.Decide(requests[0], {}).value();
    for (size_t q = 0; q < response.answers.size(); ++q) {
      for (size_t i = 0; i < response.answers[q].probabilities.size(); ++i) {
        EXPECT_NEAR(response.answers[q].probabilities[i], expected.answers[q].probabilities[i],
                    1e-4);
      }
    }
  }
}

TEST(Engine, ConcurrentCallersGetTheirOwnAnswers) {
  const std::vector<Request> requests = Requests();
  Engine engine = Load();
  const std::vector<std::string> alone = Alone(engine, requests);
  std::vector<std::string> found(requests.size());
  {
    std::vector<std::jthread> callers;
    for (size_t i = 0; i < requests.size(); ++i) {
      callers.emplace_back(
          [&, i] { found[i] = Bits(requests[i], engine.Decide(requests[i], {}).value()); });
    }
  }
  EXPECT_EQ(found, alone);
}

TEST(Engine, ARefusedRequestLeavesTheOthersAlone) {
  std::vector<Request> requests = Requests();
  Engine engine = Load();
  const std::vector<std::string> alone = Alone(engine, requests);
  std::string long_state;
  for (int i = 0; i < 2000; ++i) long_state += "word ";
  requests[1].state.value = long_state;
  const std::vector<Result<Response>> together = engine.DecideMany(requests, {});
  ASSERT_FALSE(together[1]);
  EXPECT_EQ(together[1].error().code, ErrorCode::kOverLength);
  EXPECT_EQ(Bits(requests[0], together[0].value()), alone[0]);
  EXPECT_EQ(Bits(requests[2], together[2].value()), alone[2]);
}

TEST(Engine, NoRequestsNoAnswers) { EXPECT_TRUE(Load().DecideMany({}, {}).empty()); }

TEST(Engine, PlansLikeThePlannerThatLoadsNoWeights) {
  const std::vector<Request> requests = Requests();
  const Planner planner = Planner::Load({.model = kModel}).value();
  Engine engine = Load();
  for (const Request& request : requests) {
    const Response response = engine.Decide(request, {}).value();
    const std::vector<QuestionPlan> plans = planner.Plan(request, {}).value();
    ASSERT_EQ(plans.size(), response.plans.size());
    for (size_t q = 0; q < plans.size(); ++q) {
      EXPECT_EQ(FormatPlan(request.questions[q], plans[q]),
                FormatPlan(request.questions[q], response.plans[q]));
    }
  }
}

TEST(Engine, InfoAgreesWithInspection) {
  const Engine engine = Load();
  const ModelInfo& loaded = engine.info();
  const ModelInfo inspected = InspectModel({.model = kModel}).value();
  EXPECT_EQ(loaded.name, inspected.name);
  EXPECT_EQ(loaded.parameters, inspected.parameters);
  EXPECT_EQ(loaded.isa, inspected.isa);
  EXPECT_EQ(loaded.threads, inspected.threads);
  EXPECT_EQ(loaded.batch_tokens, inspected.batch_tokens);
  ASSERT_EQ(loaded.types.size(), inspected.types.size());
  uint64_t bytes = 0;
  for (const TensorTypeCount& type : inspected.types) bytes += type.bytes;
  EXPECT_LT(bytes, inspected.file_bytes);
  EXPECT_GT(bytes + (64 << 10), inspected.file_bytes) << "all but the header is tensors";
}

TEST(Engine, UnknownIsaListsTheOthers) {
  const Result<Engine> engine = Engine::Load({.model = kModel, .isa = "sse2"});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::kUsage);
  EXPECT_THAT(engine.error().message, HasSubstr("scalar"));
}

TEST(Engine, LengthsPastTheEncoderAreRefused) {
  const Result<Engine> engine = Engine::Load({.model = kModel, .max_len = 513});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::kUsage);
  EXPECT_THAT(engine.error().message, HasSubstr("512 positions"));
}

TEST(Engine, AnAbsurdNumberOfThreadsIsRefused) {
  const Result<Engine> engine = Engine::Load({.model = kModel, .threads = 1'000'000});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::kUsage);
}

TEST(Engine, AnAbsurdBatchIsRefusedBeforeAllocation) {
  const Result<Engine> engine = Engine::Load({.model = kModel, .batch_tokens = 4'000'000'000u});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace dikast
