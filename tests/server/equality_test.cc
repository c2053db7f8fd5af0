// Over HTTP, whatever a request is batched with, its answer has the bytes that the engine gives it
// alone: what `dikast decide --format systemone` prints.
#include <gtest/gtest.h>

#include <algorithm>
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
    for (uint32_t i = 0, count = Below(2) + 1; i < count; ++i) {
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
      json.String(Words(Below(16) == 0 ? 60 : 6));
    } else {
      json.BeginObject().Key("text").String(Words(8)).Key("n").Integer(Below(100)).EndObject();
    }
  }

  void WriteQuestion(JsonWriter& json) {
    const uint32_t type = Below(3);
    json.BeginObject().Key("type").String(type == 0 ? "noul" : type == 1 ? "choice" : "score");
    json.Key("instructions").String(Words(4));
    if (type == 1) {
      json.Key("criteria").BeginObject();
      for (uint32_t i = 0, count = Below(Below(20) == 0 ? 12 : 3) + 1; i < count; ++i) {
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

struct Expected {
  std::vector<std::string> bodies, answers;  // an answer is empty when the request is refused
};

// What the engine says to each alone.
Expected AskEngine(const ServerOptions& options) {
  Expected expected;
  Result<Engine> engine = Engine::Load(options.engine);
  EXPECT_TRUE(engine) << (engine ? "" : engine.error().message);
  for (Requests requests; engine && expected.bodies.size() < kRequests;) {
    expected.bodies.push_back(requests.Next());
    const Result<Request> request = ParseRequest(expected.bodies.back(), options.decide);
    EXPECT_TRUE(request) << expected.bodies.back();
    const Result<Response> response = engine->Decide(request.value(), options.decide);
    expected.answers.push_back(response ? FormatSystemOne(*request, *response) : "");
  }
  return expected;
}

// How many answers are equal when `concurrency` clients ask.
size_t CountEqual(const Expected& expected, const std::string& url, size_t concurrency) {
  std::atomic<size_t> next = 0, equal = 0;
  std::vector<std::thread> clients;
  for (size_t i = 0; i < concurrency; ++i) {
    clients.emplace_back([&] {
      HttpConnection client(*ParseHttpUrl(url), {.exchange = std::chrono::minutes(10)});
      for (size_t at = next++; at < kRequests; at = next++) {
        const auto response = client.Exchange({.method = "POST",
                                               .target = "/v1/systemone",
                                               .headers = {{"Content-Type", "application/json"}},
                                               .body = expected.bodies[at]});
        if (!response) continue;
        const std::string& answer = expected.answers[at];
        equal += answer.empty() ? response->status == 413 : response->body == answer;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  return equal;
}

TEST(Equality, OfBytesAtAnyConcurrency) {
  ServerOptions options = TinyOptions();
  options.limits.longest_wait_ms = options.limits.deadline_ms = 600'000;  // a slow machine
  const Expected expected = AskEngine(options);
  ASSERT_EQ(expected.answers.size(), kRequests);
  EXPECT_LT(std::count(expected.answers.begin(), expected.answers.end(), ""), kRequests / 4);
  const std::unique_ptr<Server> server = StartTiny(options);
  for (const size_t concurrency : {1, 8, 64}) {
    EXPECT_EQ(CountEqual(expected, server->url(), concurrency), kRequests) << concurrency;
  }
}

}  // namespace
}  // namespace dikast::test
