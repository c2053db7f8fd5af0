#include "decision/python_text.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "base/json_writer.h"
#include "text/utf8.h"

namespace dikast {
namespace {

constexpr size_t kLongestRepr = 120;

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
  const char* begin = utf8.data();
  const char* end = begin + utf8.size();
  for (const char* next = begin; next != end && IsSpace(NextCodePoint(next));) begin = next;
  for (const char* last = end; last != begin && IsSpace(PreviousCodePoint(last));) end = last;
  return {begin, end};
}

std::string PythonRepr(std::string_view text) {
  std::string utf8;
  AppendLossyUtf8(text.substr(0, kLongestRepr + 4), utf8);  // a code point more than is shown
  const bool double_quotes =
      utf8.find('\'') != std::string_view::npos && utf8.find('"') == std::string_view::npos;
  const char quote = double_quotes ? '"' : '\'';
  std::string out(1, quote);
  const char* next = utf8.data();
  const char* const end = next + utf8.size();
  while (next != end) {
    if (out.size() > kLongestRepr) {
      out += "...";
      break;
    }
    const char* const start = next;
    const char32_t c = NextCodePoint(next);
    if (c == '\\' || c == static_cast<char32_t>(quote)) out += '\\';
    if (IsPrintable(c)) {
      out.append(start, next);
    } else {
      AppendEscape(c, out);
    }
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
