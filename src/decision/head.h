// The part of a sequence before the state, [CLS] instructions [SEP] ([MASK] option)* [SEP], and the
// budget it is cut to. laya-format.md, section 2.4, steps 1 to 5.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decision/planner.h"

namespace dikast {

// User text to ids, the way the options ask for.
class TextEncoder {
 public:
  TextEncoder(const Tokenizer& tokenizer, const SequenceRules& rules, bool reference)
      : tokenizer_(tokenizer), rules_(rules), reference_(reference) {}

  Result<std::vector<int32_t>> Encode(std::string text) const;

  // What is fed for some tokens of a state. The reference decodes them and encodes the text again,
  // which may give other tokens, and more of them.
  Result<std::vector<int32_t>> Window(std::span<const int32_t> tokens) const;

 private:
  const Tokenizer& tokenizer_;
  const SequenceRules& rules_;
  bool reference_;
};

// The texts of one question as tokens.
struct EncodedQuestion {
  std::vector<int32_t> instructions;          // of "{type} question: {instructions}"
  std::vector<std::vector<int32_t>> options;  // of " {text}", at most kOptionTokens, no marker
  std::vector<uint32_t> option_tokens;        // before that cap
};

Result<EncodedQuestion> EncodeQuestion(const Question& question, const TextEncoder& encoder,
                                       const SequenceRules& rules);

// What the head budget leaves to the texts of some options that share a sequence.
struct HeadFit {
  std::optional<uint32_t> tokens_per_option;  // marker included; set when options must shrink
  int64_t room = 0;                           // for the instructions, by the budget
  uint32_t instruction_tokens = 0;            // kept of the instructions: at least 8 of them are
  uint32_t head_tokens = 0;                   // length of the head
};

HeadFit FitHead(const EncodedQuestion& question, std::span<const uint32_t> members,
                const SequenceRules& rules);

// The tokens of an option that a fit keeps, marker excluded.
std::span<const int32_t> KeptTokens(const EncodedQuestion& question, uint32_t option,
                                    const HeadFit& fit);

// A sequence without its state: ids, markers and options are set.
TokenPlan BuildHead(const EncodedQuestion& question, std::span<const uint32_t> members,
                    const HeadFit& fit, const SequenceRules& rules);

// State tokens that a head leaves room for.
uint32_t StateRoom(const TokenPlan& head, const SequenceRules& rules);

// Appends the state and the closing [SEP], cut to max_len. `keep_end` keeps the last state tokens.
TokenPlan AppendState(const TokenPlan& head, std::span<const int32_t> state, bool keep_end,
                      const SequenceRules& rules);

}  // namespace dikast
