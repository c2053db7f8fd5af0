#include "tests/server/hostile_row.h"

#include <zlib.h>
#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/json_writer.h"
#include "tests/server/test_server.h"

namespace dikast::test {
namespace {

[[noreturn]] void BadRow(const std::string& what) {
  std::fprintf(stderr, "hostile.jsonl: %s\n", what.c_str());
  std::abort();
}

std::string Text(const JsonValue& row, const char* key, std::string otherwise = {}) {
  const JsonValue* value = row.Find(key);
  if (!value) return otherwise;
  if (!value->AsString()) BadRow(std::string(key) + " must be a string");
  return *value->AsString();
}

int64_t Number(const JsonValue& row, const char* key, int64_t otherwise) {
  const JsonValue* value = row.Find(key);
  return value ? value->AsNumber()->ToInteger().value() : otherwise;
}

// "text", or [["text", times], ...].
std::string Repeated(const JsonValue& value) {
  if (value.AsString()) return *value.AsString();
  std::string text;
  for (const JsonValue& part : *value.AsArray()) {
    const JsonArray& pair = *part.AsArray();
    for (int64_t i = pair[1].AsNumber()->ToInteger().value(); i > 0; --i) {
      text += *pair[0].AsString();
    }
  }
  return text;
}

std::string Unhex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::strtol(hex.substr(i, 2).c_str(), nullptr, 16));
  }
  return bytes;
}

std::string Gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// `window_log` of 0: that of the default level, and the frame states its size.
std::string Zstd(const std::string& text, int window_log) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  if (window_log > 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  if (window_log > 0) ZSTD_compressStream2(context, &to, &in, ZSTD_e_flush);  // size unknown
  ZSTD_compressStream2(context, &to, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

std::string BodyOf(const JsonValue& row) {
  std::string body;
  if (const JsonValue* json = row.Find("json")) {
    body = JsonWriter().Value(*json).Take();
  } else if (const JsonValue* text = row.Find("body")) {
    body = Repeated(*text);
  } else if (row.Find("hex")) {
    body = Unhex(Text(row, "hex"));
  }
  const std::string encode = Text(row, "encode");
  if (encode == "gzip") body = Gzip(body);
  if (encode == "zstd") body = Zstd(body, static_cast<int>(Number(row, "window_log", 0)));
  for (int64_t i = Number(row, "frames", 1), frame = static_cast<int64_t>(body.size()); i > 1;
       --i) {
    body.append(body, 0, static_cast<size_t>(frame));
  }
  const auto cut = static_cast<size_t>(Number(row, "cut", 0));
  body.resize(body.size() - std::min(cut, body.size()));
  return body + Unhex(Text(row, "append_hex"));
}

// The headers that every request has, but for those that the row sets (null: leaves out).
std::string HeadersOf(const JsonValue& row, size_t length, bool has_body) {
  JsonObject headers = {{"Host", {std::string("localhost")}}};
  if (has_body) {
    headers.push_back({"Content-Type", {std::string("application/json")}});
    headers.push_back({"Content-Length", {std::to_string(length)}});
  }
  if (const std::string encode = Text(row, "encode"); !encode.empty()) {
    headers.push_back({"Content-Encoding", {encode}});
  }
  if (const JsonValue* set = row.Find("headers")) {
    for (const JsonMember& member : *set->AsObject()) {
      std::erase_if(headers, [&](const JsonMember& h) { return h.key == member.key; });
    }
    for (const JsonMember& member : *set->AsObject()) {
      if (!member.value.IsNull()) headers.push_back(member);
    }
  }
  std::string text;
  for (const JsonMember& header : headers) {
    text += header.key + ": " + Repeated(header.value) + "\r\n";
  }
  return text + Text(row, "more_headers");
}

std::string RequestOf(const JsonValue& row) {
  if (const JsonValue* raw = row.Find("raw")) return Repeated(*raw);
  const std::string method = Text(row, "method", "POST");
  const bool has_body = method == "POST" || row.Find("body") || row.Find("json");
  const std::string body = BodyOf(row);
  const JsonValue* target = row.Find("target");
  return method + " " + (target ? Repeated(*target) : std::string("/v1/systemone")) + " " +
         Text(row, "version", "HTTP/1.1") + "\r\n" + HeadersOf(row, body.size(), has_body) +
         "\r\n" + body;
}

std::vector<int> StatusesOf(const JsonValue& row) {
  const JsonValue* status = row.Find("status");
  if (!status || status->IsNull()) return {};
  if (status->AsNumber()) return {static_cast<int>(Number(row, "status", 0))};
  std::vector<int> statuses;
  for (const JsonValue& one : *status->AsArray()) {
    statuses.push_back(static_cast<int>(one.AsNumber()->ToInteger().value()));
  }
  return statuses;
}

HostileRow ToRow(const JsonValue& json) {
  HostileRow row{.name = Text(json, "name"),
                 .cause = Text(json, "cause"),
                 .server = Text(json, "server", "plain"),
                 .bytes = RequestOf(json),
                 .statuses = StatusesOf(json),
                 .path = std::nullopt,
                 .message = Text(json, "message"),
                 .header = Text(json, "header"),
                 .open = std::nullopt};
  for (int64_t i = Number(json, "times", 1), one = static_cast<int64_t>(row.bytes.size()); i > 1;
       --i) {
    row.bytes.append(row.bytes, 0, static_cast<size_t>(one));
  }
  if (json.Find("first")) row.first = row.bytes.substr(0, Number(json, "first", 0));
  row.then = Text(json, "then", "wait");
  if (json.Find("path")) row.path = Text(json, "path");
  if (const JsonValue* open = json.Find("open")) row.open = *open->AsBool();
  row.head_only = Text(json, "method") == "HEAD";
  return row;
}

}  // namespace

std::vector<HostileRow> ReadHostileRows(const std::string& file) {
  std::vector<HostileRow> rows;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const Result<JsonValue> json = ParseJson(line);
    if (!json) BadRow("row " + std::to_string(rows.size() + 1) + ": " + json.error().message);
    rows.push_back(ToRow(*json));
  }
  return rows;
}

}  // namespace dikast::test
