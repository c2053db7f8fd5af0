// tokenize_lines FILE text|match: JSON strings in, id arrays out, one a line. For comparisons with
// the reference when the command line program is not built.
#include <iostream>
#include <string>
#include <vector>

#include "dikast/json.h"
#include "dikast/tokenizer.h"

namespace {

std::string IdArray(const std::vector<int32_t>& ids) {
  std::string line = "[";
  for (const int32_t id : ids) line.append(line.size() > 1 ? "," : "").append(std::to_string(id));
  return line + "]\n";
}

int Complain(const dikast::Error& error) {
  std::cerr << error.path << ": " << error.message << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: tokenize_lines FILE text|match\n", 2;
  const auto tokenizer = dikast::Tokenizer::FromFile(argv[1]);
  if (!tokenizer) return Complain(tokenizer.error());
  const bool match = std::string(argv[2]) == "match";
  const auto mode = match ? dikast::AddedTokens::kMatch : dikast::AddedTokens::kText;
  std::ios::sync_with_stdio(false);
  std::vector<int32_t> ids;
  for (std::string line; std::getline(std::cin, line);) {
    const auto text = dikast::ParseJson(line);
    if (!text) return Complain(text.error());
    ids.clear();
    const auto encoded = tokenizer->Encode(*text->AsString(), mode, ids);
    if (!encoded) return Complain(encoded.error());
    std::cout << IdArray(ids);
  }
}
