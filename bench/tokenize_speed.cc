// tokenize_speed FILE: for bench/tokenize_speed.py. Reads JSON strings, one a line, up to an empty
// line; then answers every line "go" with the seconds that one pass over all of them took.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "dikast/json.h"
#include "dikast/tokenizer.h"

namespace {

double SecondsOfOnePass(const dikast::Tokenizer& tokenizer, const std::vector<std::string>& texts,
                        std::vector<std::vector<int32_t>>& ids) {
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < texts.size(); ++i) {
    ids[i] = {};  // a new array for each text, as the rival returns
    if (!tokenizer.Encode(texts[i], dikast::AddedTokens::kMatch, ids[i])) return -1;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: tokenize_speed FILE\n", 2;
  const auto tokenizer = dikast::Tokenizer::FromFile(argv[1]);
  if (!tokenizer) return std::cerr << tokenizer.error().message << '\n', 4;
  std::vector<std::string> texts;
  std::string line;
  while (std::getline(std::cin, line) && !line.empty()) {
    texts.push_back(*dikast::ParseJson(line)->AsString());
  }
  std::vector<std::vector<int32_t>> ids(texts.size());
  while (std::getline(std::cin, line)) {
    const double seconds = SecondsOfOnePass(*tokenizer, texts, ids);
    size_t count = 0;
    for (const auto& text_ids : ids) count += text_ids.size();
    std::cout << "{\"seconds\": " << seconds << ", \"ids\": " << count << "}" << std::endl;
  }
}
