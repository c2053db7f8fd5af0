# Puts a text file into a C++ source, as a function that gives it. Run as a script:
#   cmake -D IN=<file> -D OUT=<file.cc> -D HEADER=<its declaration> -D NAME=<function> -P embed_text.cmake

cmake_minimum_required(VERSION 3.25)

# Compilers promise 64 KiB for one literal.
file(READ "${IN}" text)
string(LENGTH "${text}" length)
set(literals "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 16000 part)
  string(APPEND literals "R\"dikast_text(${part})dikast_text\"\n")
  math(EXPR at "${at} + 16000")
endwhile()

cmake_path(GET IN FILENAME file)
file(WRITE "${OUT}" "// Made from ${file} by cmake/embed_text.cmake.
#include \"${HEADER}\"

namespace dikast::server {

std::string_view ${NAME}() {
  return ${literals};
}

}  // namespace dikast::server
")
