// The table of hostile requests: each is answered as its row says, and leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <thread>

#include "base/memory_use.h"
#include "tests/server/hostile_row.h"
#include "tests/server/test_server.h"

namespace dikast::test {
namespace {

constexpr char kTable[] = DIKAST_TEST_DATA "/server/hostile.jsonl";
constexpr std::chrono::milliseconds kPause(60);

// Limits that a short request can pass. What takes time to run out is short on "slow" alone.
ServerOptions OptionsOf(const std::string& name, const KeysFile& keys) {
  ServerOptions options = TinyOptions();
  options.limits.header_bytes = 2048;
  options.limits.body_bytes = 96 << 10;
  options.limits.decoded_bytes = 160 << 10;
  options.limits.depth = 16;
  options.limits.values = 45'000;
  options.limits.string_bytes = 88 << 10;
  options.limits.questions = 8;
  options.limits.options = 12;
  options.limits.states = 4;
  if (name == "slow") {
    options.limits.read_ms = 250;
    options.limits.idle_ms = 250;
  }
  if (name == "keyed") options.keys = keys.path();
  if (name == "keyed") options.limits.key_rate = 1;
  if (name == "keyed") options.limits.key_burst = 2;
  return options;
}

class Servers {
 public:
  uint16_t Port(const std::string& name) {
    if (!servers_.contains(name)) servers_[name] = StartTiny(OptionsOf(name, keys_));
    return PortOf(servers_[name]->url());
  }

 private:
  KeysFile keys_{"# for the table\nright-key\nrated-key\n\n"};
  std::map<std::string, std::unique_ptr<Server>> servers_;
};

// The JSON Pointer that a body of errors names: detail[0].loc, or error.param with dots.
std::string PathIn(const JsonValue& body) {
  const JsonValue* detail = body.Find("detail");
  if (detail && detail->AsArray()) {
    std::string pointer;
    const JsonArray& location = *detail->AsArray()->front().Find("loc")->AsArray();
    for (size_t i = 1; i < location.size(); ++i) {
      pointer = PointerAppend(pointer, *location[i].AsString());
    }
    return pointer;
  }
  const JsonValue* error = body.Find("error");
  const JsonValue* param = error && !detail ? error->Find("param") : nullptr;
  return param && param->AsString() ? *param->AsString() : "HTTP";
}

void CheckResponse(const HostileRow& row, const RawResponse& response) {
  EXPECT_THAT(response.headers, testing::Contains(testing::Key("x-request-id")));
  EXPECT_EQ(response.headers.at("content-type"), "application/json");
  EXPECT_EQ(response.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(response.headers.at("x-frame-options"), "DENY");
  EXPECT_FALSE(response.headers.contains("access-control-allow-origin"));
  if (row.head_only) return;
  const Result<JsonValue> body = ParseJson(response.body);
  ASSERT_TRUE(body.has_value()) << response.body;
  EXPECT_THAT(response.body, testing::HasSubstr(row.message));
  if (row.path) {
    EXPECT_EQ(PathIn(*body), *row.path) << response.body;
  }
  if (row.header.empty()) return;
  std::string name = row.header.substr(0, row.header.find(':'));
  for (char& c : name) c = static_cast<char>(std::tolower(c));
  ASSERT_TRUE(response.headers.contains(name)) << name;
  EXPECT_EQ(response.headers.at(name), row.header.substr(row.header.find(':') + 2));
}

void Play(const HostileRow& row, uint16_t port) {
  RawClient client(port);
  ASSERT_TRUE(client.connected());
  if (!row.first.empty()) {
    client.Send(row.first);
    std::this_thread::sleep_for(kPause);
  }
  client.Send(std::string_view(row.bytes).substr(row.first.size()));
  if (row.then == "half-close") client.HalfClose();
  if (row.then == "reset") return client.Reset();
  std::optional<RawResponse> last;
  for (const int status : row.statuses) {
    last = client.Receive(row.head_only);
    ASSERT_TRUE(last.has_value()) << "no response where one with " << status << " is due";
    EXPECT_EQ(last->status, status) << last->body;
  }
  if (last) CheckResponse(row, *last);
  if (row.statuses.empty()) {
    EXPECT_FALSE(client.Receive().has_value());
  }
  if (row.open.has_value() && *row.open) {
    client.Send(Get("/health"));
    EXPECT_TRUE(client.Receive().has_value()) << "closed, but should go on";
  } else if (row.open.has_value()) {
    EXPECT_TRUE(client.IsClosedWithin(std::chrono::seconds(10))) << "open, but should close";
  }
}

void PlayAll(const std::vector<HostileRow>& rows, Servers& servers) {
  for (const HostileRow& row : rows) {
    SCOPED_TRACE(row.name);
    Play(row, servers.Port(row.server));
  }
}

void ExpectNormalAnswers(uint16_t port) {
  RawClient client(port);
  for (int i = 0; i < 3; ++i) {
    client.Send(Post("/v1/systemone", kAsk));
    const std::optional<RawResponse> response = client.Receive();
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ(response->status, 200);
    EXPECT_THAT(response->body, testing::HasSubstr(R"("answers":{"q":{"type":"noul")"));
  }
}

TEST(Hostile, TheTableCoversManyCausesWithFewRowsEach) {
  std::map<std::string, int> rows_of;
  std::set<std::string> names;
  const std::vector<HostileRow> rows = ReadHostileRows(kTable);
  for (const HostileRow& row : rows) {
    ++rows_of[row.cause];
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " stands twice";
    const bool says_no = !row.statuses.empty() && row.statuses.back() != 200;
    EXPECT_TRUE(!says_no || row.head_only || (row.path && !row.message.empty()))
        << row.name << " asserts neither path nor message";
  }
  EXPECT_GE(rows.size(), 150u);
  for (const auto& [cause, count] : rows_of) EXPECT_LE(count, 3) << cause;
}

TEST(Hostile, EveryRowIsAnsweredAsTheTableSaysAndNothingStays) {
  const std::vector<HostileRow> rows = ReadHostileRows(kTable);
  Servers servers;
  PlayAll(rows, servers);
  if (kSanitized) return ExpectNormalAnswers(servers.Port("plain"));
  std::this_thread::sleep_for(std::chrono::seconds(2));  // the rate's bucket fills again
  malloc_trim(0);
  const uint64_t before = ResidentBytes();
  for (int i = 0; i < 3; ++i) {
    PlayAll(rows, servers);
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }
  ExpectNormalAnswers(servers.Port("plain"));
  malloc_trim(0);
  const uint64_t after = ResidentBytes();
  std::printf("resident: %.2f MB before, %.2f MB after\n", static_cast<double>(before) / 1e6,
              static_cast<double>(after) / 1e6);
  EXPECT_LE(static_cast<double>(after), 1.05 * static_cast<double>(before));
}

}  // namespace
}  // namespace dikast::test
