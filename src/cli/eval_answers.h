// A data set put to a model.
#pragma once

#include <optional>
#include <vector>

#include "cli/eval_rows.h"
#include "dikast/engine.h"
#include "dikast/quality.h"

namespace dikast::cli {

struct RowAnswer {
  std::vector<double> probabilities;  // by option as listed
  std::vector<float> logits;
};

struct Refusal {
  size_t row = 0;
  Error error;
};

struct DataAnswers {
  std::vector<std::optional<RowAnswer>> by_row;
  std::vector<Refusal> refused;
};

// Progress on standard error, unless `quiet`. Quits when the fault is not the row's.
DataAnswers AnswerRows(Engine& engine, std::span<const Request> requests,
                       const DecideOptions& options, bool quiet);

// The answered choice rows once more, with their options in reverse.
OrderEffect ReverseOptions(Engine& engine, const DataSet& data, const DataAnswers& answers,
                           const DecideOptions& options, bool quiet);

}  // namespace dikast::cli
