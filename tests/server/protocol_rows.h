// Rows of tests/data/server/protocols.jsonl: what is asked, and what the answer holds.
//
// {"name", "server"?, "route", "body"? (none: a GET), "status",
//  "json"?: the whole answer, byte for byte once written without white space,
//  "at"?: {pointer: value}; "~text" is a string that has text in it, "#" any number, "-" nothing,
//  "like"?: {"route", "body", "same": {pointer: pointer there}}: another request, and what of its
//           answer is equal}
#pragma once

#include <string>
#include <vector>

#include "dikast/json.h"

namespace dikast::test {

struct ProtocolRow {
  std::string name;
  std::string server;  // "plain", or "small": limits of 3 questions, 3 options, 2 states
  JsonValue row;
};

// Aborts the test on a line that is no such row.
std::vector<ProtocolRow> ReadProtocolRows(const std::string& file);

// The value at a JSON Pointer; null when there is none.
const JsonValue* FindAt(const JsonValue& value, const std::string& pointer);

// What of "at" does not hold of `answer`; empty when all does.
std::string Mismatch(const JsonValue& at, const JsonValue& answer);

}  // namespace dikast::test
