#include "server/pages.h"

#include <cstdio>
#include <optional>
#include <string>

#include "base/json_writer.h"
#include "base/memory_use.h"
#include "server/page.h"

namespace dikast::server {
namespace {

void WriteOpenAiModel(const std::string& name, const ModelIdentity& model, JsonWriter& json) {
  json.BeginObject().Key("id").String(name).Key("object").String("model");
  json.Key("created").Integer(0).Key("owned_by").String("dikast");
  json.Key("root").String(model.info.name).EndObject();
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string digits(text.substr(i + 1, 2));
    if (digits.size() != 2 || std::sscanf(digits.c_str(), "%2x", &byte) != 1) return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

void WriteLimits(const ServerLimits& limits, JsonWriter& json) {
  json.BeginObject();
  for (const LimitRow& row : LimitTable()) {
    std::string name = row.name;
    for (char& c : name) c = c == '-' ? '_' : c;
    json.Key(name).Integer(static_cast<int64_t>(limits.*row.value));
  }
  json.EndObject();
}

void WriteModel(const ModelIdentity& model, JsonWriter& json) {
  const ModelInfo& info = model.info;
  json.BeginObject().Key("name").String(info.name).Key("family").String(info.family);
  json.Key("parameters").Integer(static_cast<int64_t>(info.parameters));
  json.Key("sha256").String(model.sha256).Key("revision").String(model.revision);
  json.Key("release_date").String(model.release_date);
  json.Key("max_len").Integer(info.max_len).Key("head_max_len").Integer(info.head_max_len);
  json.Key("isa").String(info.isa).Key("threads").Integer(info.threads).EndObject();
}

}  // namespace

HttpResponse HealthPage() { return {.body = R"({"status":"ok"})"}; }

HttpResponse HomePage() {
  return {.body = std::string(PageHtml()),
          .content_type = "text/html; charset=utf-8",
          .headers = {{"Content-Security-Policy", std::string(PageCsp())}}};
}

HttpResponse ReadyPage(bool loaded, bool draining) {
  if (loaded && !draining) return {.body = R"({"status":"ready"})"};
  HttpResponse response{.status = 503,
                        .body = draining ? R"({"status":"draining"})" : R"({"status":"loading"})"};
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

// One object for both worlds: `models` of Jev, `data` of OpenAI. protocols.md, resolution 8.
HttpResponse ModelsPage(const CallContext& context) {
  JsonWriter json;
  json.BeginObject().Key("models").BeginArray();
  for (const std::string& name : context.names.listed()) {
    json.BeginObject().Key("name").String(name);
    json.Key("description").String("typed decisions by " + context.model.info.name);
    json.Key("release_date").String(context.model.release_date).EndObject();
  }
  json.EndArray().Key("object").String("list").Key("data").BeginArray();
  for (const std::string& name : context.names.listed()) {
    WriteOpenAiModel(name, context.model, json);
  }
  return {.body = json.EndArray().EndObject().Take()};
}

HttpResponse ModelPage(const CallContext& context, std::string_view argument) {
  const std::optional<std::string> name = PercentDecode(argument);
  if (!name || !context.names.Accepts(*name)) {
    return OpenAiFault({.status = 404,
                        .type = "model_not_found",
                        .message = "there is no such model here; GET /v1/models lists them"});
  }
  JsonWriter json;
  WriteOpenAiModel(*name, context.model, json);
  return {.body = json.Take()};
}

HttpResponse StatusPage(const CallContext& context, const Scheduler& scheduler) {
  const SchedulerLoad load = scheduler.load();
  JsonWriter json;
  json.BeginObject().Key("dikast").String(Version()).Key("model");
  WriteModel(context.model, json);
  json.Key("certificate").BeginObject().Key("state").String("original").EndObject();
  json.Key("protocol_sha256").String(context.model.protocol_sha256);
  json.Key("limits");
  WriteLimits(context.options.limits, json);
  json.Key("queue").BeginObject();
  json.Key("requests").Integer(static_cast<int64_t>(load.submissions));
  json.Key("tokens").Integer(static_cast<int64_t>(load.tokens));
  json.Key("oldest_ms").Integer(load.oldest.count());
  json.Key("expected_wait_ms").Integer(load.expected.count()).EndObject();
  json.Key("memory").BeginObject().Key("resident_bytes");
  json.Integer(static_cast<int64_t>(ResidentBytes())).EndObject();
  return {.body = json.EndObject().Take()};
}

}  // namespace dikast::server
