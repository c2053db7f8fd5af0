// Question to token plan: rendering is done, the tokenizer and the budgets come in here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dikast/decision.h"
#include "dikast/tokenizer.h"

namespace dikast {

// The part of a checkpoint that shapes sequences. laya-format.md, section 2.4.
struct SequenceRules {
  uint32_t max_len = 512, head_max_len = 192;
  int32_t cls = 0, sep = 0, mask = 0;
  std::string mask_literal;    // each occurrence in user text becomes one space (reference only)
  bool truncate_left = false;  // the cap of 48 keeps the last ids
};

inline constexpr uint32_t kOptionTokens = 48;      // cap of an option, its marker excluded
inline constexpr uint32_t kLeastHeadTokens = 16;   // room below which options shrink
inline constexpr uint32_t kLeastOptionTokens = 8;  // below this a cut option spoils a choice
inline constexpr uint32_t kMaxSequences = 4096;    // of a request read in windows

// The over-length rule that holds: the request's own, else that of the options.
OverLength EffectiveOverLength(const Request& request, const DecideOptions& options);

// Plans every question of the request, or says which one does not fit. Thread-safe.
Result<std::vector<QuestionPlan>> PlanRequest(const Request& request, const DecideOptions& options,
                                              const Tokenizer& tokenizer,
                                              const SequenceRules& rules);

// The usage block of a response. `plans` are those of PlanRequest with the same options.
Usage CountUsage(const Request& request, const std::vector<QuestionPlan>& plans,
                 const DecideOptions& options);

}  // namespace dikast
