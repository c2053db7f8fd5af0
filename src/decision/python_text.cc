#include "decision/python_text.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "base/json_writer.h"

namespace dikast {
namespace {

constexpr size_t kLongestRepr = 120;

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 1;
};

// The code point at the start of valid UTF-8.
CodePoint First(std::string_view utf8) {
  const auto lead = static_cast<unsigned char>(utf8[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint32_t value = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    value = value << 6 | (static_cast<unsigned char>(utf8[i]) & 0x3F);
  }
  return {value, bytes};
}

std::string_view LastCharacter(std::string_view utf8) {
  size_t begin = utf8.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(utf8[begin]) & 0xC0) == 0x80) --begin;
  return utf8.substr(begin);
}

bool IsSpace(uint32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

// The invisible characters that occur in practice; unassigned ones are shown as they are.
bool IsPrintable(uint32_t c) {
  return c == ' ' || !(IsSpace(c) || c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD ||
                       (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
                       (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xE000 && c <= 0xF8FF));
}

void AppendEscape(uint32_t c, std::string& out) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else {
    std::array<char, 8> buffer;
    std::snprintf(buffer.data(), buffer.size(), c < 0x100 ? "\\x%02x" : "\\u%04x", c);
    out += buffer.data();
  }
}

std::string IntegerText(double value) {
  std::array<char, 320> buffer;  // the largest double has 309 digits
  std::snprintf(buffer.data(), buffer.size(), "%.0f", value);
  return buffer.data();
}

}  // namespace

std::string_view StripSpace(std::string_view utf8) {
  while (!utf8.empty()) {
    const CodePoint first = First(utf8);
    if (!IsSpace(first.value)) break;
    utf8.remove_prefix(first.bytes);
  }
  while (!utf8.empty()) {
    const std::string_view last = LastCharacter(utf8);
    if (!IsSpace(First(last).value)) break;
    utf8.remove_suffix(last.size());
  }
  return utf8;
}

std::string PythonRepr(std::string_view utf8) {
  const bool double_quotes =
      utf8.find('\'') != std::string_view::npos && utf8.find('"') == std::string_view::npos;
  const char quote = double_quotes ? '"' : '\'';
  std::string out(1, quote);
  while (!utf8.empty()) {
    if (out.size() > kLongestRepr) {
      out += "...";
      break;
    }
    const CodePoint first = First(utf8);
    if (first.value == '\\' || first.value == static_cast<uint32_t>(quote)) out += '\\';
    if (IsPrintable(first.value)) {
      out += utf8.substr(0, first.bytes);
    } else {
      AppendEscape(first.value, out);
    }
    utf8.remove_prefix(first.bytes);
  }
  out += quote;
  return out;
}

std::string PythonStr(const JsonValue& value) {
  if (const std::string* text = value.AsString()) return *text;
  if (const bool* truth = value.AsBool()) return *truth ? "True" : "False";
  const JsonNumber& number = *value.AsNumber();
  const double approximate = number.ToDouble();
  if (!number.IsInteger() && std::isnan(approximate)) return "nan";
  if (!number.IsInteger() && std::isinf(approximate)) return approximate < 0 ? "-inf" : "inf";
  return *PythonJson(value);
}

std::string PythonKey(const JsonValue& value) {
  if (const std::string* text = value.AsString()) return "s" + *text;
  if (const bool* truth = value.AsBool()) return *truth ? "n1" : "n0";
  const JsonNumber& number = *value.AsNumber();
  const double approximate = number.ToDouble();
  if (number.IsInteger() || !std::isfinite(approximate) || std::trunc(approximate) != approximate) {
    return "n" + PythonStr(value);
  }
  return "n" + IntegerText(approximate == 0 ? 0.0 : approximate);
}

}  // namespace dikast
