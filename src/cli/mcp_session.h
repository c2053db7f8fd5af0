// The MCP protocol on newline-delimited JSON-RPC 2.0, without the streams: lines in, lines out.
//
// Speaks the revisions that begin with `initialize` (2024-11-05 to 2025-11-25) and 2026-07-28,
// whose requests stand alone and carry their revision in `_meta`. Everything but tools/call is
// answered at once; the calls are answered one by one on a thread that first opens the source.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cli/mcp_source.h"
#include "dikast/json.h"

namespace dikast::cli {

class McpSession {
 public:
  // `send` gets one message at a time, without a newline, from any thread.
  McpSession(OpenSource open, std::function<void(const std::string&)> send);
  ~McpSession();  // as Finish(false)

  // One line of input; one that could not be read is answered with an error.
  void Take(const Result<std::string>& line);
  // Waits for the calls that came, or drops those that are not yet begun.
  void Finish(bool answer_rest);

 private:
  struct Request {
    std::string id;  // as JSON
    bool modern = false;
    JsonValue params;
  };
  struct Call {
    std::string id;
    bool modern = false;
    std::string tool;
    JsonValue arguments;
    size_t bytes = 0;
  };

  void Dispatch(const std::string& method, Request request, size_t bytes);
  void Initialize(const Request& request);
  void Discover(const Request& request);
  void ListTools(const Request& request);
  void AcceptCall(Request request, size_t bytes);
  void Cancel(const JsonValue* params);
  void Work(const OpenSource& open);
  bool NextCall(Call& call);

  // `result` is a JSON object.
  void Answer(const std::string& id, bool modern, std::string result, bool cacheable = false);
  void Refuse(const std::string& id, int code, const std::string& message,
              const std::string& data = {});
  void Send(const std::string& message);

  std::function<void(const std::string&)> send_;
  std::mutex send_mutex_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<Call> waiting_;
  size_t waiting_bytes_ = 0;
  std::string running_;  // id of the call under way, or empty
  bool running_cancelled_ = false;
  bool closing_ = false;
  std::thread worker_;
};

}  // namespace dikast::cli
