// Plays the sessions of tests/data/cli/mcp.table: JSON-RPC lines in, messages out.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>

#include "cli/mcp_session.h"
#include "tests/cli/json_subset.h"

namespace dikast::cli {
namespace {

struct Session {
  std::string name;
  std::vector<std::string> steps;
};

std::vector<Session> ReadTable() {
  std::ifstream in(DIKAST_TEST_DATA "/cli/mcp.table");
  std::vector<Session> sessions;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    if (line.starts_with("== ")) {
      sessions.push_back({line.substr(3), {}});
    } else {
      sessions.at(sessions.size() - 1).steps.push_back(line);
    }
  }
  return sessions;
}

// Closed, it holds the call that is under way.
class Gate {
 public:
  void Set(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  void Pass() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    --inside_;
  }
  void WaitUntilHeld() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return inside_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int inside_ = 0;
};

class GatedSource : public DecisionSource {
 public:
  GatedSource(std::unique_ptr<DecisionSource> source, Gate& gate)
      : source_(std::move(source)), gate_(gate) {}
  Result<Decision> Decide(const Request& request, const JsonValue& document) override {
    gate_.Pass();
    return source_->Decide(request, document);
  }
  Result<std::string> Models() override { return source_->Models(); }
  Result<std::string> Status() override { return source_->Status(); }

 private:
  std::unique_ptr<DecisionSource> source_;
  Gate& gate_;
};

// Every message must match one expectation of its own.
void Match(std::vector<std::string> messages, const std::vector<std::string>& expected) {
  EXPECT_EQ(messages.size(), expected.size()) << testing::PrintToString(messages);
  for (const std::string& text : expected) {
    const Result<JsonValue> want = ParseJson(text);
    ASSERT_TRUE(want) << "the table's own JSON: " << text;
    const auto found = std::find_if(messages.begin(), messages.end(), [&](const auto& message) {
      const Result<JsonValue> have = ParseJson(message);
      return have && test::JsonDifference(*want, *have).empty();
    });
    if (found == messages.end()) {
      ADD_FAILURE() << "nothing like " << text << "\namong " << testing::PrintToString(messages);
    } else {
      messages.erase(found);
    }
  }
}

// "<many 20000>" in a line stands for so many words.
std::string Expand(std::string line) {
  const size_t begin = line.find("<many ");
  if (begin == std::string::npos) return line;
  const size_t end = line.find('>', begin);
  const size_t count = std::stoul(line.substr(begin + 6, end - begin - 6));
  std::string words;
  for (size_t i = 0; i < count; ++i) words += "word ";
  return line.replace(begin, end - begin + 1, words);
}

void Play(const Session& played) {
  Gate gate;
  std::mutex mutex;
  std::vector<std::string> messages, expected;
  const OpenSource open =
      LocalSource({.model = DIKAST_SOURCE_DIR "/models/dikast-mini-v1", .threads = 1}, {});
  McpSession session([&] { return std::make_unique<GatedSource>(open(), gate); },
                     [&](const std::string& message) {
                       const std::lock_guard lock(mutex);
                       messages.push_back(message);
                     });
  for (const std::string& step : played.steps) {
    if (step.starts_with("> ")) {
      session.Take(Expand(step.substr(2)));
    } else if (step.starts_with("< ")) {
      expected.push_back(step.substr(2));
    } else if (step == "! hold") {
      gate.Set(false);
    } else if (step == "! held") {
      gate.WaitUntilHeld();
    } else if (step == "! release") {
      gate.Set(true);
    } else {
      FAIL() << "unknown step: " << step;
    }
  }
  session.Finish(true);
  for (const std::string& message : messages) {
    EXPECT_EQ(message.find('\n'), std::string::npos) << "a message is one line";
  }
  Match(messages, expected);
}

class Mcp : public testing::TestWithParam<Session> {};

TEST_P(Mcp, Session) { Play(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, Mcp, testing::ValuesIn(ReadTable()), [](const auto& info) {
  std::string name;
  for (const char c : info.param.name) {
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
});

TEST(McpLines, OneThatCouldNotBeReadIsAnsweredWithAnError) {
  std::string sent;
  McpSession session(LocalSource({.model = "/no such folder"}, {}),
                     [&](const std::string& message) { sent = message; });
  session.Take(Fail(ErrorCode::kRequest, "the line has more than 16 MiB"));
  Match({sent}, {R"({"id":null,"error":{"code":-32600}})"});
}

TEST(McpModel, OneThatCannotBeLoadedIsTheErrorOfEachCall) {
  std::string sent;
  McpSession session(LocalSource({.model = "/no such folder"}, {}),
                     [&](const std::string& message) { sent = message; });
  session.Take(
      std::string(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"models"}})"));
  session.Finish(true);
  Match({sent}, {R"({"id":1,"result":{"isError":true}})"});
  EXPECT_NE(sent.find("/no such folder"), std::string::npos);
}

}  // namespace
}  // namespace dikast::cli
