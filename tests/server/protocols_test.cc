// The protocols, row by row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/http_client.h"
#include "base/json_writer.h"
#include "tests/server/protocol_rows.h"
#include "tests/server/test_server.h"

namespace dikast::test {
namespace {

ServerOptions OptionsOf(const std::string& name) {
  ServerOptions options = TinyOptions();
  if (name == "small") {
    options.limits.questions = 3;
    options.limits.options = 3;
    options.limits.states = 2;
    options.limits.decoded_bytes = 2048;
  }
  return options;
}

class Protocols : public testing::Test {
 protected:
  HttpResponse Ask(const std::string& server, const JsonValue& request) {
    HttpRequest message{.target = *request.Find("route")->AsString(), .headers = {}, .body = {}};
    if (const JsonValue* body = request.Find("body")) {
      message.method = "POST";
      message.headers = {{"Content-Type", "application/json"}};
      message.body = JsonWriter().Value(*body).Take();
    }
    auto response = Client(server).Exchange(message);
    EXPECT_TRUE(response) << (response ? "" : response.error().message);
    return response ? *std::move(response) : HttpResponse{};
  }

 private:
  HttpConnection& Client(const std::string& name) {
    auto& server = servers_[name];
    if (!server) {
      server = StartTiny(OptionsOf(name));
      clients_.emplace(name, HttpConnection(*ParseHttpUrl(server->url()), HttpLimits{}));
    }
    return clients_.at(name);
  }

  std::map<std::string, std::unique_ptr<Server>> servers_;
  std::map<std::string, HttpConnection> clients_;
};

JsonValue Parsed(const std::string& text) {
  Result<JsonValue> value = ParseJson(text);
  EXPECT_TRUE(value) << text;
  return value ? *std::move(value) : JsonValue{};
}

TEST_F(Protocols, EveryRowHolds) {
  const auto rows = ReadProtocolRows(DIKAST_TEST_DATA "/server/protocols.jsonl");
  EXPECT_GE(rows.size(), 100u);
  for (const ProtocolRow& row : rows) {
    SCOPED_TRACE(row.name);
    const HttpResponse response = Ask(row.server, row.row);
    EXPECT_EQ(response.status, row.row.Find("status")->AsNumber()->ToInteger()) << response.body;
    const JsonValue answer = Parsed(response.body);
    if (const JsonValue* json = row.row.Find("json")) {
      EXPECT_EQ(response.body, JsonWriter().Value(*json).Take());
    }
    if (const JsonValue* at = row.row.Find("at")) {
      EXPECT_EQ(Mismatch(*at, answer), "") << response.body;
    }
    const JsonValue* like = row.row.Find("like");
    if (!like) continue;
    const JsonValue other = Parsed(Ask(row.server, *like).body);
    for (const JsonMember& same : *like->Find("same")->AsObject()) {
      const JsonValue* found = FindAt(answer, same.key);
      const JsonValue* wanted = FindAt(other, *same.value.AsString());
      ASSERT_TRUE(found && wanted) << same.key << "\n" << response.body;
      EXPECT_EQ(JsonWriter().Value(*found).Take(), JsonWriter().Value(*wanted).Take()) << same.key;
    }
  }
}

TEST_F(Protocols, EveryRowTestsSomethingAndHasAName) {
  std::map<std::string, int> names;
  for (const ProtocolRow& row : ReadProtocolRows(DIKAST_TEST_DATA "/server/protocols.jsonl")) {
    EXPECT_EQ(++names[row.name], 1) << row.name;
    const bool tests = row.row.Find("json") || row.row.Find("at") || row.row.Find("like");
    EXPECT_TRUE(tests) << row.name;
  }
}

}  // namespace
}  // namespace dikast::test
