#include "cli/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cwchar>

namespace dikast::cli {
namespace {

struct CodePoint {
  char32_t value;  // kInvalid for a byte that starts no UTF-8 sequence
  size_t bytes;
};

constexpr char32_t kInvalid = 0xffffffff;
constexpr size_t kNarrowest = 30, kWidest = 120;  // a table outside of these is hard to read

CodePoint Decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (length == 1) return {byte(0), 1};
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return {kInvalid, 1};
  char32_t value = byte(0) & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {kInvalid, 1};
    value = value << 6 | (byte(i) & 0x3f);
  }
  return {value, length};
}

bool IsUnsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == kInvalid;
}

size_t ColumnsOf(char32_t c) {
  if (c < 0x7f) return 1;
  const int columns = wcwidth(static_cast<wchar_t>(c));
  return columns < 0 ? 1 : static_cast<size_t>(columns);
}

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool IsDumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::strcmp(term, "dumb") == 0;
}

size_t ScreenColumns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return std::clamp<size_t>(size.ws_col, kNarrowest, kWidest);
}

}  // namespace

Terminal DescribeTerminal(int descriptor) {
  Terminal terminal;
  terminal.present = isatty(descriptor) != 0;
  terminal.colour = terminal.present && !IsSet("NO_COLOR") && !IsDumb();
  terminal.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  if (terminal.present) terminal.columns = ScreenColumns(descriptor);
  return terminal;
}

std::string Printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const CodePoint next = Decode(text);
    safe += IsUnsafe(next.value) ? "?" : text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return safe;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint next = Decode(text);
    width += ColumnsOf(next.value);
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string FitTo(std::string_view text, size_t width, bool utf8) {
  const size_t needed = DisplayWidth(text);
  if (needed <= width) return std::string(text) + std::string(width - needed, ' ');
  const std::string_view ellipsis = utf8 ? "…" : "~";
  std::string fitted;
  size_t used = 0;
  while (true) {
    const CodePoint next = Decode(text);
    const size_t columns = ColumnsOf(next.value);
    if (used + columns + 1 > width) break;
    fitted += text.substr(0, next.bytes);
    used += columns;
    text.remove_prefix(next.bytes);
  }
  fitted += ellipsis;
  return fitted + std::string(width > used + 1 ? width - used - 1 : 0, ' ');
}

}  // namespace dikast::cli
