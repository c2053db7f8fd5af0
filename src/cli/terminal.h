// What the screen can show, and text made safe for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dikast::cli {

struct Terminal {
  bool present = false;  // the descriptor is a terminal
  bool colour = false;   // a terminal, and neither $NO_COLOR nor TERM=dumb speaks against it
  bool utf8 = false;     // the locale's character set
  size_t columns = 80;
};

// Reads the descriptor, the locale (main has called setlocale) and the environment.
Terminal DescribeTerminal(int descriptor);

// `text` without what could move the cursor or hide text: each control character (C0, DEL, C1, the
// bidirectional overrides) and each byte that is not UTF-8 becomes "?".
std::string Printable(std::string_view text);

// Columns that printable UTF-8 text takes.
size_t DisplayWidth(std::string_view text);

// `text` in exactly `width` columns: padded on the right, or cut with an ellipsis.
std::string FitTo(std::string_view text, size_t width, bool utf8);

}  // namespace dikast::cli
