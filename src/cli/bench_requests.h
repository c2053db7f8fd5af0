// The requests of a benchmark: no two are the same, as each state carries its number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dikast/json.h"

namespace dikast::cli {

class BenchRequests {
 public:
  // From a file of NDJSON, or the built-in ones when `file` is empty. Errors: kModel for the file,
  // kRequest with the line.
  static Result<BenchRequests> Open(const std::string& file);

  // Bodies of /v1/systemone. The number goes into the state: at the end of a text, as the member
  // "bench_case" of an object, as an element of an array.
  std::string Body(uint64_t number) const;
  size_t kinds() const { return templates_.size(); }

 private:
  struct Template {
    std::string before, after;  // of the number
  };
  static Result<Template> MakeTemplate(JsonValue document);

  std::vector<Template> templates_;
};

// A request with one question and a state of so many words, another one for each number.
std::string LongBody(uint64_t number, uint32_t words);

}  // namespace dikast::cli
