// Bytes out: standard output, standard error, the file of --output.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dikast::cli {

// Writes all of `text`. A reader that has gone away ends the command quietly, as it got what it
// wanted; any other failure (a full disk) is complained about under `name`. Throws Exit for both.
void WriteAll(int descriptor, std::string_view text, const std::string& name);

// WriteAll to standard output.
void Print(std::string_view text);

// A file with this text and nothing else. Quits when it cannot be written.
void WriteFile(const std::filesystem::path& file, std::string_view text);

// To standard error, whose failures nobody can be told about.
void PrintError(std::string_view text);

}  // namespace dikast::cli
