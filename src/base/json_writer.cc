#include "base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/check.h"

namespace dikast {
namespace {

constexpr size_t kMostDigits = 4300;  // Python's limit on the digits of an int

void AppendEscape(unsigned char c, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
  }
}

Result<void> AppendPython(const JsonValue& value, std::string& out);

Result<void> AppendPythonNumber(const JsonNumber& number, std::string& out) {
  if (!number.IsInteger()) {
    out += PythonFloat(number.ToDouble());
    return {};
  }
  const size_t digits = number.spelling.size() - number.spelling.starts_with('-');
  if (digits > kMostDigits) {
    return Fail(ErrorCode::kRequest, "an integer of " + std::to_string(digits) +
                                         " digits; at most 4300 are read, send it as a string");
  }
  out += number.spelling == "-0" ? "0" : number.spelling;
  return {};
}

Result<void> AppendPythonArray(const JsonArray& array, std::string& out) {
  out += '[';
  for (size_t i = 0; i < array.size(); ++i) {
    if (i) out += ", ";
    if (auto done = AppendPython(array[i], out); !done) return done;
  }
  out += ']';
  return {};
}

Result<void> AppendPythonObject(const JsonObject& object, std::string& out) {
  out += '{';
  for (size_t i = 0; i < object.size(); ++i) {
    if (i) out += ", ";
    AppendJsonString(object[i].key, out);
    out += ": ";
    if (auto done = AppendPython(object[i].value, out); !done) return done;
  }
  out += '}';
  return {};
}

Result<void> AppendPython(const JsonValue& value, std::string& out) {
  if (const JsonNumber* number = value.AsNumber()) return AppendPythonNumber(*number, out);
  if (const JsonArray* array = value.AsArray()) return AppendPythonArray(*array, out);
  if (const JsonObject* object = value.AsObject()) return AppendPythonObject(*object, out);
  if (const std::string* text = value.AsString()) {
    AppendJsonString(*text, out);
  } else if (const bool* truth = value.AsBool()) {
    out += *truth ? "true" : "false";
  } else {
    out += "null";
  }
  return {};
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '"' || c == '\\') {
      AppendEscape(byte, out);
    } else {
      out += c;
    }
  }
  out += '"';
}

Result<std::string> PythonJson(const JsonValue& value) {
  std::string out;
  if (auto done = AppendPython(value, out); !done) return tl::unexpected(done.error());
  return out;
}

std::string PythonFloat(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::array<char, 64> buffer = {};  // zeros: atoi stops behind the exponent
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                           std::chars_format::scientific)
                 .ptr;
  const std::string_view scientific(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const int exponent = std::atoi(scientific.data() + scientific.find('e') + 1);
  // repr: fixed for 1e-4 <= |value| < 1e16, and never without a fraction.
  if (value != 0 && (exponent < -4 || exponent >= 16)) return std::string(scientific);
  end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed)
            .ptr;
  std::string fixed(buffer.data(), end);
  if (fixed.find('.') == std::string::npos) fixed += ".0";
  return fixed;
}

double RoundTo4(double value) {
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, 4)
                       .ptr;
  double rounded = value;
  std::from_chars(buffer.data(), end, rounded);
  return rounded;
}

void JsonWriter::Separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

JsonWriter& JsonWriter::BeginObject() {
  Separate();
  out_ += '{';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::EndObject() {
  out_ += '}';
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::BeginArray() {
  Separate();
  out_ += '[';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::EndArray() {
  out_ += ']';
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  AppendJsonString(key, out_);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  Separate();
  AppendJsonString(text, out_);
  return *this;
}

JsonWriter& JsonWriter::Number(double value) {
  DIKAST_CHECK(std::isfinite(value));
  return Raw(PythonFloat(value));
}

JsonWriter& JsonWriter::Integer(int64_t value) { return Raw(std::to_string(value)); }
JsonWriter& JsonWriter::Bool(bool value) { return Raw(value ? "true" : "false"); }
JsonWriter& JsonWriter::Null() { return Raw("null"); }

JsonWriter& JsonWriter::Value(const JsonValue& value) {
  if (const JsonNumber* number = value.AsNumber()) return Raw(number->spelling);
  if (const std::string* text = value.AsString()) return String(*text);
  if (const bool* truth = value.AsBool()) return Bool(*truth);
  if (const JsonArray* array = value.AsArray()) {
    BeginArray();
    for (const JsonValue& item : *array) Value(item);
    return EndArray();
  }
  if (const JsonObject* object = value.AsObject()) {
    BeginObject();
    for (const JsonMember& member : *object) Key(member.key).Value(member.value);
    return EndObject();
  }
  return Null();
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ += json;
  return *this;
}

}  // namespace dikast
