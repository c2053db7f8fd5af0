// Rows with a known answer, for eval and calibrate: {"state", "question", "answer"[, "id",
// "source"]}.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dikast/decision.h"

namespace dikast::cli {

struct DataRow {
  uint64_t line = 0;  // counted from 1
  std::string id, source;
  uint32_t right = 0;  // the option of its question
};

struct DataSet {
  std::string name, sha256;
  std::vector<DataRow> rows = {};
  std::vector<Request> requests = {};  // one a row, of one question
};

// All rows of a file (- is stdin), checked before a model is loaded. When any is bad, complains
// about the first ten by line and throws Exit.
DataSet ReadDataSet(const std::string& file, const DecideOptions& options);

// One row. Errors: kRequest, with the JSON Pointer of the fault in the row.
Result<void> AddRow(std::string_view text, uint64_t line, const DecideOptions& options,
                    DataSet& data);

}  // namespace dikast::cli
