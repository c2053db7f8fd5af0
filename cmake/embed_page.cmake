# Makes one HTML document of web/ and puts it, with its Content-Security-Policy, into a C++ source. Run as a script:
#   cmake -D SOURCE=<repository> -D OUT=<folder> -P embed_page.cmake
# writes OUT/page.html (the document, to look at) and OUT/page.cc (src/server/page.h).

cmake_minimum_required(VERSION 3.25)

# Base64 of the SHA-256 of a text, as a policy names it: three hexadecimal digits are two Base64 digits;
# 64 digits leave one, which makes one and the padding.
function(sha256_base64 text result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 hex "${text}")
  set(base64 "")
  foreach(at RANGE 0 60 3)
    string(SUBSTRING ${hex} ${at} 3 digits)
    math(EXPR high "0x${digits} >> 6")
    math(EXPR low "0x${digits} & 63")
    string(SUBSTRING ${alphabet} ${high} 1 first)
    string(SUBSTRING ${alphabet} ${low} 1 second)
    string(APPEND base64 ${first}${second})
  endforeach()
  string(SUBSTRING ${hex} 63 1 digit)
  math(EXPR last "0x${digit} << 2")
  string(SUBSTRING ${alphabet} ${last} 1 first)
  set(${result} "${base64}${first}=" PARENT_SCOPE)
endfunction()

# A JSON file for a data block of the document: no "</" may end the block.
function(read_json file result)
  file(READ "${file}" text)
  string(STRIP "${text}" text)
  string(REPLACE "</" "<\\/" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(READ "${SOURCE}/web/index.html" page)
file(READ "${SOURCE}/web/style.css" style)
set(script "")
foreach(name strings json form answers page)
  file(READ "${SOURCE}/web/${name}.js" part)
  string(APPEND script "${part}")
endforeach()

# The examples to start from are those of the program: examples/ and presets/.
read_json("${SOURCE}/examples/questions.json" questions)
file(READ "${SOURCE}/examples/ticket.txt" ticket)
string(STRIP "${ticket}" ticket)
string(REPLACE "\\" "\\\\" ticket "${ticket}")
string(REPLACE "\"" "\\\"" ticket "${ticket}")
string(REPLACE "\n" "\\n" ticket "${ticket}")
string(REPLACE "</" "<\\/" ticket "${ticket}")
set(examples "[{\"name\": \"ticket\", \"questions\": ${questions}, \"example\": \"${ticket}\"}")
file(GLOB presets "${SOURCE}/presets/*.json")
list(SORT presets)
foreach(file IN LISTS presets)
  read_json("${file}" preset)
  string(APPEND examples ",\n${preset}")
endforeach()
string(APPEND examples "]")

foreach(part style script examples)
  string(FIND "${page}" "@${part}@" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "web/index.html has no place @${part}@")
  endif()
  string(REPLACE "@${part}@" "${${part}}" page "${page}")
endforeach()

sha256_base64("${script}" script_hash)
sha256_base64("${style}" style_hash)
string(CONCAT policy "default-src 'none'; script-src 'sha256-${script_hash}'; "
       "style-src 'sha256-${style_hash}'; connect-src 'self'; img-src data:; "
       "form-action 'none'; frame-ancestors 'none'; base-uri 'none'")

file(WRITE "${OUT}/page.html" "${page}")
file(WRITE "${OUT}/page.cc" "// Made from web/ by cmake/embed_page.cmake.
#include \"server/page.h\"

namespace dikast {

std::string_view PageHtml() {
  return R\"dikast_page(${page})dikast_page\";
}

std::string_view PageCsp() {
  return \"${policy}\";
}

}  // namespace dikast
")
