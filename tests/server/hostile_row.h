// A row of tests/data/server/hostile.jsonl: what is sent, and what must come back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dikast/json.h"
#include "tests/server/raw_client.h"

namespace dikast::test {

struct HostileRow {
  std::string name, cause;
  std::string server;  // "plain", "slow" or "keyed"

  std::string bytes;          // the whole request
  std::string first = {};     // what is sent of it before a pause; all when empty
  std::string then = "wait";  // "half-close" or "reset" after sending

  std::vector<int> statuses;        // of the responses in order; empty: closed without any
  std::optional<std::string> path;  // of the last response: "HTTP", or the pointer of its detail
  std::string message;              // part of the last response's message
  std::string header;               // "Retry-After: 1"; in the last response
  std::optional<bool> open;         // whether the connection goes on
  bool head_only = false;
};

// Aborts the test on a row that says something else.
std::vector<HostileRow> ReadHostileRows(const std::string& file);

}  // namespace dikast::test
