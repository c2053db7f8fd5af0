// JSON text, appended to a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dikast/json.h"

namespace dikast {

// Python's json.dumps(value, ensure_ascii=False): ", " and ": ", floats as repr, order kept.
// laya-format.md, section 2.2. Errors: kRequest for an integer of more than 4,300 digits.
Result<std::string> PythonJson(const JsonValue& value);

// The shortest decimal that reads back as `value`, spelled as Python's repr: "0.1", "1e-07", "1.0".
std::string PythonFloat(double value);

// Python's round(value, 4): the correctly rounded decimal of the double, ties on the exact value
// to even.
double RoundTo4(double value);

// Streams one value in order; commas, colons and quoting are its own. No white space.
class JsonWriter {
 public:
  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view key);
  JsonWriter& String(std::string_view text);
  JsonWriter& Number(double value);  // shortest round trip; never NaN or infinity (CHECKed)
  JsonWriter& Integer(int64_t value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  JsonWriter& Value(const JsonValue& value);
  JsonWriter& Raw(std::string_view json);  // already serialised

  std::string Take() { return std::move(out_); }

 private:
  void Separate();
  std::string out_;
  bool first_ = true;  // no comma is due
};

// "text" with JSON escapes and quotes, non-ASCII raw.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace dikast
