// Over HTTP, whatever a request is batched with, its answer has the bytes that the engine gives it
// alone: what `dikast decide --format systemone` prints.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "base/http_client.h"
#include "base/json_writer.h"
#include "dikast/format.h"
#include "tests/server/test_server.h"

namespace dikast::test {
namespace {

constexpr size_t kRequests = 500;

// Requests of mixed lengths, types, numbers of questions and of options.
class Requests {
 public:
  std::string Next() {
    JsonWriter json;
    json.BeginObject().Key("state");
    WriteState(json);
    json.Key("questions").BeginObject();
    for (uint32_t i = 0, count = Below(4) + 1; i < count; ++i) {
      json.Key("q" + std::to_string(i));
      WriteQuestion(json);
    }
    json.EndObject();
    if (Below(3) == 0) json.Key("over_length").String("truncate");
    return json.EndObject().Take();
  }

 private:
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }

  std::string Words(uint32_t most) {
    static constexpr const char* kWords[] = {"order", "paid twice",   "\u00e9t\u00e9", "thanks",
                                             "7.50",  "\u6771\u4eac", "refund",        "\n"};
    std::string text;
    for (uint32_t i = 0, count = Below(most) + 1; i < count; ++i) {
      text += (i ? " " : "") + std::string(kWords[Below(8)]);
    }
    return text;
  }

  void WriteState(JsonWriter& json) {
    if (Below(4) > 0) {
      json.String(Words(Below(8) == 0 ? 60 : 12));
    } else {
      json.BeginObject().Key("text").String(Words(8)).Key("n").Integer(Below(100)).EndObject();
    }
  }

  void WriteQuestion(JsonWriter& json) {
    const uint32_t type = Below(3);
    json.BeginObject().Key("type").String(type == 0 ? "noul" : type == 1 ? "choice" : "score");
    json.Key("instructions").String(Words(6));
    if (type == 1) {
      json.Key("criteria").BeginObject();
      for (uint32_t i = 0, count = Below(Below(10) == 0 ? 40 : 6) + 1; i < count; ++i) {
        json.Key("option " + std::to_string(i));
        Below(2) ? json.Null() : json.String(Words(4));
      }
      json.EndObject();
    } else if (type == 2) {
      json.Key("criteria").BeginArray();
      for (uint32_t i = 0, count = Below(5) + 1; i < count; ++i) json.String(Words(3));
      json.EndArray();
    }
    json.EndObject();
  }

  std::mt19937 random_{20261130};
};

class Equality : public testing::TestWithParam<size_t> {};

TEST_P(Equality, OfBytesAtThisConcurrency) {
  ServerOptions options = TinyOptions();
  options.engine.model = DIKAST_SOURCE_DIR "/models/dikast-mini";
  options.limits.longest_wait_ms = options.limits.deadline_ms = 600'000;  // a slow machine
  Result<Engine> engine = Engine::Load(options.engine);
  ASSERT_TRUE(engine) << engine.error().message;
  std::vector<std::string> bodies, expected;
  size_t refused = 0;
  for (Requests requests; bodies.size() < kRequests;) {
    bodies.push_back(requests.Next());
    const Result<Request> request = ParseRequest(bodies.back(), options.decide);
    ASSERT_TRUE(request) << request.error().message;
    const Result<Response> response = engine->Decide(*request, options.decide);
    expected.push_back(response ? FormatSystemOne(*request, *response) : "");
    refused += !response;
  }
  EXPECT_LT(refused, kRequests / 4);

  const std::unique_ptr<Server> server = StartTiny(options);
  std::atomic<size_t> next = 0, equal = 0;
  std::vector<std::thread> clients;
  for (size_t i = 0; i < GetParam(); ++i) {
    clients.emplace_back([&] {
      HttpConnection client(*ParseHttpUrl(server->url()), {.exchange = std::chrono::minutes(10)});
      for (size_t at = next++; at < kRequests; at = next++) {
        const auto response = client.Exchange({.method = "POST",
                                               .target = "/v1/systemone",
                                               .headers = {{"Content-Type", "application/json"}},
                                               .body = bodies[at]});
        if (!response) continue;
        equal += expected[at].empty() ? response->status == 413 : response->body == expected[at];
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(equal, kRequests);
}

INSTANTIATE_TEST_SUITE_P(Concurrency, Equality, testing::Values(1, 8, 64));

}  // namespace
}  // namespace dikast::test
