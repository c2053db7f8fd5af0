#include "base/quote.h"

#include "base/json_writer.h"

namespace dikast {
namespace {

constexpr size_t kMaxQuoted = 120;

std::string_view Cut(std::string_view text) {
  if (text.size() <= kMaxQuoted) return text;
  size_t end = kMaxQuoted;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // never inside a UTF-8 sequence
  return text.substr(0, end);
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string quoted;
  AppendJsonString(Cut(text), quoted);
  if (text.size() > kMaxQuoted) quoted += "...";
  return quoted;
}

std::string Describe(const JsonValue& value) {
  if (const JsonNumber* number = value.AsNumber()) return std::string(Cut(number->spelling));
  if (const std::string* text = value.AsString()) return Quote(*text);
  if (const bool* truth = value.AsBool()) return *truth ? "true" : "false";
  return std::string(value.KindName());
}

}  // namespace dikast
