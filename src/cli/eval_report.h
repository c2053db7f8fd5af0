// The figures of an evaluation, as text for people and as JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/eval_answers.h"

namespace dikast::cli {

struct Evaluation {
  std::string model, model_sha256, calibration;  // calibration: its file; empty: the checkpoint's
  std::string data, data_sha256;
  std::string over_length, options;
  uint32_t orders = 1;
  uint64_t rows = 0;
  Figures all;
  std::map<std::string, Figures> types = {}, sources = {};
  std::optional<OrderEffect> reversed = {};
  struct RefusedRow {
    uint64_t line;
    std::string id, message;
  };
  std::vector<RefusedRow> refused = {};

  // Refused rows count as wrong.
  double accuracy_of_all_rows() const;
  double mean_of_sources() const;  // of their accuracies over answered rows
};

std::string ReportText(const Evaluation& evaluation, bool utf8);
std::string ReportJson(const Evaluation& evaluation);

}  // namespace dikast::cli
