// docs/openapi.json: that it names what is served, and that its examples are answered as it says.
#include "server/openapi.h"

#include <gtest/gtest.h>

#include <set>

#include "base/http_client.h"
#include "base/json_writer.h"
#include "server/routes.h"
#include "tests/server/protocol_rows.h"
#include "tests/server/test_server.h"

namespace dikast::test {
namespace {

JsonValue Document() {
  Result<JsonValue> document = ParseJson(server::OpenApiJson());
  EXPECT_TRUE(document) << (document ? "" : document.error().message);
  return document ? *std::move(document) : JsonValue{};
}

// "/v1/models/*" is "/v1/models/{id}" there.
std::string TemplateOf(std::string_view path) {
  std::string text(path);
  if (text.ends_with("/*")) text.replace(text.size() - 1, 1, "{id}");
  return text;
}

// The path item, also where it refers to another.
const JsonValue& Resolved(const JsonValue& document, const JsonValue& item) {
  const JsonValue* reference = item.Find("$ref");
  return reference ? *FindAt(document, reference->AsString()->substr(1)) : item;
}

TEST(OpenApi, HasTheVersionOfTheProgram) {
  const JsonValue document = Document();
  EXPECT_EQ(*FindAt(document, "/openapi")->AsString(), "3.1.0");
  EXPECT_EQ(*FindAt(document, "/info/version")->AsString(), Version());
}

TEST(OpenApi, NamesEveryRouteAndNoOther) {
  const JsonValue document = Document();
  std::set<std::string> served, named;
  for (const server::Route& route : server::Routes()) {
    served.insert(TemplateOf(route.path) + (route.method == "GET" ? " get" : " post"));
  }
  for (const JsonMember& path : *document.Find("paths")->AsObject()) {
    for (const JsonMember& member : *Resolved(document, path.value).AsObject()) {
      if (member.value.AsObject()) named.insert(path.key + " " + member.key);
    }
  }
  EXPECT_EQ(served, named);
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  const JsonValue document = Document();
  const std::string text(server::OpenApiJson());
  size_t references = 0;
  for (size_t at = 0; (at = text.find("\"$ref\": \"#", at)) != text.npos; ++references) {
    at += 10;
    const std::string pointer = text.substr(at, text.find('"', at) - at);
    EXPECT_TRUE(FindAt(document, pointer)) << pointer;
  }
  EXPECT_GT(references, 50u);
}

// The same members in the same order and the same kinds of values. The names of members that are
// data, like options, come from the request and so are equal as well; numbers and texts differ.
std::string ShapeOf(const JsonValue& value) {
  std::string shape;
  if (value.AsNumber()) return "0";
  if (value.AsString()) return "\"\"";
  if (const JsonArray* array = value.AsArray()) {
    for (const JsonValue& element : *array) shape += ShapeOf(element) + ",";
    return "[" + shape + "]";
  }
  const JsonObject* object = value.AsObject();
  if (!object) return value.AsBool() ? "?" : "null";
  for (const JsonMember& member : *object) shape += member.key + ":" + ShapeOf(member.value) + ",";
  return "{" + shape + "}";
}

// The choice of a typed question is a text or a boolean, by what the model says.
std::string WithoutChoice(std::string shape) {
  for (const std::string choice : {"choice:?", "choice:\"\""}) {
    for (size_t at = 0; (at = shape.find(choice)) != shape.npos;) {
      shape.replace(at, choice.size(), "choice");
    }
  }
  return shape;
}

class Examples : public testing::Test {
 protected:
  HttpResponse Ask(const std::string& path, const JsonValue* body) {
    HttpRequest request{.target = path, .headers = {}, .body = {}};
    if (body) {
      request.method = "POST";
      request.headers = {{"Content-Type", "application/json"}};
      request.body = JsonWriter().Value(*body).Take();
    }
    auto response = client_.Exchange(request);
    EXPECT_TRUE(response) << (response ? "" : response.error().message);
    return response ? *std::move(response) : HttpResponse{};
  }

  void Check(const HttpResponse& response, unsigned status, const JsonValue& example) {
    EXPECT_EQ(response.status, status) << response.body;
    const Result<JsonValue> answer = ParseJson(response.body);
    ASSERT_TRUE(answer) << response.body;
    EXPECT_EQ(WithoutChoice(ShapeOf(*answer)), WithoutChoice(ShapeOf(example))) << response.body;
  }

  JsonValue document_ = Document();

 private:
  std::unique_ptr<Server> server_ = StartTiny(TinyOptions());
  HttpConnection client_{*ParseHttpUrl(server_->url()), HttpLimits{}};
};

// The example of a response has the name of the request that it answers, or for plan the only one.
TEST_F(Examples, OfRequestsAreAnsweredAsTheirResponsesSay) {
  size_t asked = 0;
  for (const JsonMember& path : *document_.Find("paths")->AsObject()) {
    const JsonValue* requests =
        FindAt(path.value, "/post/requestBody/content/application~1json/examples");
    if (!requests) continue;
    for (const JsonMember& request : *requests->AsObject()) {
      SCOPED_TRACE(path.key + " " + request.key);
      size_t answers = 0;
      for (const JsonMember& response : *FindAt(path.value, "/post/responses")->AsObject()) {
        const JsonValue* example =
            FindAt(response.value, "/content/application~1json/examples/" + request.key + "/value");
        if (!example) continue;
        Check(Ask(path.key, request.value.Find("value")),
              static_cast<unsigned>(std::stoul(response.key)), *example);
        ++answers;
      }
      EXPECT_EQ(answers, 1u);
      ++asked;
    }
  }
  EXPECT_GE(asked, 14u);
}

TEST_F(Examples, OfPagesAreAsTheyAre) {
  for (const JsonMember& path : *document_.Find("paths")->AsObject()) {
    const JsonValue* example =
        FindAt(path.value, "/get/responses/200/content/application~1json/example");
    if (!example) continue;
    SCOPED_TRACE(path.key);
    std::string target = path.key;
    if (const size_t at = target.find("{id}"); at != target.npos) {
      target.replace(at, 4, *FindAt(path.value, "/get/parameters/0/example")->AsString());
    }
    const HttpResponse response = Ask(target, nullptr);
    if (path.key == "/v1/models") {
      EXPECT_EQ(response.status, 200u);  // as many names as there are
      const Result<JsonValue> answer = ParseJson(response.body);
      ASSERT_TRUE(answer);
      for (const char* first : {"/models/0", "/data/0"}) {
        EXPECT_EQ(ShapeOf(*FindAt(*answer, first)), ShapeOf(*FindAt(*example, first)));
      }
    } else {
      Check(response, 200, *example);
    }
  }
}

}  // namespace
}  // namespace dikast::test
