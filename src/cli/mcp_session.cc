#include "cli/mcp_session.h"

#include <algorithm>
#include <exception>

#include "base/json_writer.h"
#include "cli/exit.h"
#include "cli/mcp_tools.h"

namespace dikast::cli {
namespace {

constexpr char kModern[] = "2026-07-28";
// The revisions that begin with `initialize`; the first one is offered to a client of another.
constexpr std::string_view kClassic[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr char kVersionKey[] = "io.modelcontextprotocol/protocolVersion";

// JSON-RPC's own codes, and MCP's for a revision that is not spoken.
enum : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kUnknownMethod = -32601,
  kInvalidParams = -32602,
  kUnsupportedVersion = -32022,
};

constexpr size_t kMostWaiting = 64;
constexpr size_t kMostWaitingBytes = 64u << 20;
constexpr int64_t kListMilliseconds = 3'600'000;  // the tools change with the program only

constexpr char kInstructions[] =
    "Answers typed decisions about a state (a text or JSON) with calibrated probabilities: which "
    "option (choice), true or false (noul), where on a scale (score), or several of them in one "
    "call (decide). It generates no text.";

bool IsClassic(std::string_view version) {
  return std::find(std::begin(kClassic), std::end(kClassic), version) != std::end(kClassic);
}

const std::string* TextMember(const JsonValue* object, std::string_view key) {
  const JsonValue* value = object == nullptr ? nullptr : object->Find(key);
  return value == nullptr ? nullptr : value->AsString();
}

// A string or an integer, as JSON; empty for anything else.
std::string ReadId(const JsonValue* id) {
  if (id == nullptr) return {};
  const bool valid = id->AsString() || (id->AsNumber() && id->AsNumber()->IsInteger());
  return valid ? JsonWriter().Value(*id).Take() : std::string();
}

std::string Implementation() {
  JsonWriter writer;
  writer.BeginObject().Key("name").String("dikast").Key("title").String("dikast");
  return writer.Key("version").String(Version()).EndObject().Take();
}

std::string SupportedVersions() {
  JsonWriter writer;
  writer.BeginArray().String(kModern);
  for (const std::string_view version : kClassic) writer.String(version);
  return writer.EndArray().Take();
}

}  // namespace

McpSession::McpSession(OpenSource open, std::function<void(const std::string&)> send)
    : send_(std::move(send)), worker_([this, open = std::move(open)] { Work(open); }) {}

McpSession::~McpSession() { Finish(false); }

void McpSession::Take(const Result<std::string>& line) {
  if (!line) return Refuse("null", kInvalidRequest, line.error().message);
  const Result<JsonValue> message = ParseJson(*line);
  if (!message) return Refuse("null", kParseError, cli::Describe(message.error()));
  if (message->AsObject() == nullptr) {
    return Refuse("null", kInvalidRequest,
                  "a message is one object, got " + std::string(message->KindName()));
  }
  const JsonValue* id = message->Find("id");
  const std::string* method = TextMember(&*message, "method");
  const std::string* version = TextMember(&*message, "jsonrpc");
  // The answer to a request that we never send.
  if (method == nullptr && (message->Find("result") || message->Find("error"))) return;
  const std::string known = ReadId(id);
  const std::string reply = known.empty() ? "null" : known;
  if (method == nullptr || version == nullptr || *version != "2.0") {
    return Refuse(reply, kInvalidRequest, R"(needs "jsonrpc": "2.0" and "method", a string)");
  }
  const JsonValue* params = message->Find("params");
  if (id == nullptr) {  // a notification is never answered
    if (*method == "notifications/cancelled") Cancel(params);
    return;
  }
  if (known.empty()) return Refuse("null", kInvalidRequest, "an id is a string or an integer");
  if (params != nullptr && params->AsObject() == nullptr) {
    return Refuse(known, kInvalidParams, "params must be an object");
  }
  Dispatch(*method, {known, false, params == nullptr ? JsonValue{JsonObject{}} : *params},
           line->size());
}

void McpSession::Dispatch(const std::string& method, Request request, size_t bytes) {
  if (const std::string* version = TextMember(request.params.Find("_meta"), kVersionKey)) {
    request.modern = *version == kModern;
    if (!request.modern && !IsClassic(*version)) {
      JsonWriter data;
      data.BeginObject().Key("supported").Raw(SupportedVersions());
      data.Key("requested").String(*version).EndObject();
      return Refuse(request.id, kUnsupportedVersion, "this protocol revision is not spoken",
                    data.Take());
    }
  }
  if (method == "initialize") return Initialize(request);
  if (method == "server/discover") return Discover(request);
  if (method == "ping") return Answer(request.id, request.modern, "{}");
  if (method == "tools/list") return ListTools(request);
  if (method == "tools/call") return AcceptCall(std::move(request), bytes);
  Refuse(request.id, kUnknownMethod, "there is no method '" + method + "'");
}

void McpSession::Initialize(const Request& request) {
  const std::string* asked = TextMember(&request.params, "protocolVersion");
  JsonWriter writer;
  writer.BeginObject();
  writer.Key("protocolVersion").String(asked && IsClassic(*asked) ? *asked : kClassic[0]);
  writer.Key("capabilities").Raw(R"({"tools":{}})");
  writer.Key("serverInfo").Raw(Implementation());
  Answer(request.id, false, writer.Key("instructions").String(kInstructions).EndObject().Take());
}

void McpSession::Discover(const Request& request) {
  JsonWriter writer;
  writer.BeginObject().Key("supportedVersions").Raw(SupportedVersions());
  writer.Key("capabilities").Raw(R"({"tools":{}})");
  writer.Key("instructions").String(kInstructions);
  writer.Key("_meta").BeginObject();
  writer.Key("io.modelcontextprotocol/serverInfo").Raw(Implementation()).EndObject();
  Answer(request.id, true, writer.EndObject().Take(), true);
}

void McpSession::ListTools(const Request& request) {
  JsonWriter writer;
  writer.BeginObject().Key("tools").Raw(ToolList()).EndObject();
  Answer(request.id, request.modern, writer.Take(), true);
}

void McpSession::AcceptCall(Request request, size_t bytes) {
  const std::string* tool = TextMember(&request.params, "name");
  if (tool == nullptr || !IsTool(*tool)) {
    return Refuse(request.id, kInvalidParams,
                  tool == nullptr ? "name must be a string" : "there is no tool '" + *tool + "'");
  }
  const JsonValue* given = request.params.Find("arguments");
  if (given != nullptr && given->AsObject() == nullptr) {
    return Refuse(request.id, kInvalidParams, "arguments must be an object");
  }
  JsonValue arguments = given == nullptr ? JsonValue{JsonObject{}} : *given;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < kMostWaiting && waiting_bytes_ + bytes <= kMostWaitingBytes) {
      waiting_bytes_ += bytes;
      waiting_.push_back({request.id, request.modern, *tool, std::move(arguments), bytes});
      changed_.notify_one();
      return;
    }
  }
  Answer(request.id, request.modern,
         ToolError({ErrorCode::kBusy, "too many calls are waiting; wait for their answers", {}}));
}

// Not answered, as the protocol says. A pass that is under way runs to its end.
void McpSession::Cancel(const JsonValue* params) {
  const std::string id = ReadId(params == nullptr ? nullptr : params->Find("requestId"));
  const std::lock_guard lock(mutex_);
  if (!id.empty() && id == running_) running_cancelled_ = true;
  std::erase_if(waiting_, [&](const Call& call) {
    if (call.id != id) return false;
    waiting_bytes_ -= call.bytes;
    return true;
  });
}

bool McpSession::NextCall(Call& call) {
  std::unique_lock lock(mutex_);
  running_.clear();
  changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
  if (waiting_.empty()) return false;
  call = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= call.bytes;
  running_ = call.id;
  running_cancelled_ = false;
  return true;
}

void McpSession::Work(const OpenSource& open) {
  const std::unique_ptr<DecisionSource> source = open();
  for (Call call; NextCall(call);) {
    std::string result;
    try {
      result = CallTool(*source, call.tool, call.arguments);
    } catch (const std::exception& fault) {  // out of memory: the session goes on
      result = ToolError({ErrorCode::kInternal, fault.what(), {}});
    }
    {
      const std::lock_guard lock(mutex_);
      if (running_cancelled_) continue;
      running_.clear();
    }
    Answer(call.id, call.modern, std::move(result));
  }
}

void McpSession::Finish(bool answer_rest) {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    if (!answer_rest) waiting_.clear();
    changed_.notify_one();
  }
  if (worker_.joinable()) worker_.join();
}

void McpSession::Answer(const std::string& id, bool modern, std::string result, bool cacheable) {
  if (modern) {
    std::string members = R"({"resultType":"complete")";
    if (cacheable) {
      members += R"(,"cacheScope":"public","ttlMs":)" + std::to_string(kListMilliseconds);
    }
    result.replace(0, 1, members + (result == "{}" ? "" : ","));
  }
  JsonWriter writer;
  writer.BeginObject().Key("jsonrpc").String("2.0").Key("id").Raw(id);
  Send(writer.Key("result").Raw(result).EndObject().Take());
}

void McpSession::Refuse(const std::string& id, int code, const std::string& message,
                        const std::string& data) {
  JsonWriter writer;
  writer.BeginObject().Key("jsonrpc").String("2.0").Key("id").Raw(id);
  writer.Key("error").BeginObject().Key("code").Integer(code).Key("message").String(message);
  if (!data.empty()) writer.Key("data").Raw(data);
  Send(writer.EndObject().EndObject().Take());
}

void McpSession::Send(const std::string& message) {
  const std::lock_guard lock(send_mutex_);
  send_(message);
}

}  // namespace dikast::cli
