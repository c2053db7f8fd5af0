#pragma once

#include <string_view>

namespace dikast {

// The web page: one HTML document in UTF-8, with its styles and scripts inside; it loads nothing
// else and speaks to the server that sent it. Made of web/ when the program is built; lives as long
// as the program.
std::string_view PageHtml();

// The value of the Content-Security-Policy header that must go with it. It names the page's script
// and styles by their hashes, so that nothing else can run in it.
std::string_view PageCsp();

}  // namespace dikast
