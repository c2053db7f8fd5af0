// A tokenizer in which every known word is one token, so that budgets can be counted by eye.
#pragma once

#include <string>
#include <vector>

#include "decision/planner.h"
#include "dikast/tokenizer.h"

namespace dikast {

// tests/data/decision/words.tokenizer.json, loaded once.
const Tokenizer& WordTokenizer();

// Its control tokens, with the limits given.
SequenceRules WordRules(uint32_t max_len, uint32_t head_max_len);

// "[CLS] choice question : w1 [SEP] [MASK] red [SEP] w2 [SEP]": the tokens behind ids.
std::string WordsOf(const std::vector<int32_t>& ids);

std::string ReadTestFile(const std::string& name);  // under tests/data/decision
std::vector<std::string> Lines(const std::string& text);

// A JSON array of numbers.
template <class T>
std::vector<T> Numbers(const JsonValue& array) {
  std::vector<T> numbers;
  for (const JsonValue& value : *array.AsArray()) {
    numbers.push_back(static_cast<T>(value.AsNumber()->ToDouble()));
  }
  return numbers;
}

}  // namespace dikast
