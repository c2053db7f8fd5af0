// Typed decisions: requests, answers and the reports that go with them. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/json.h"
#include "dikast/status.h"

namespace dikast {

// The numeric values index `type_emb` and `temperature` of a Laya checkpoint.
enum class QuestionType : uint8_t { kChoice = 0, kScore = 1, kNoul = 2 };

std::string_view QuestionTypeName(QuestionType type);  // "choice", "score", "noul"

// One option of a choice, one level of a score, or one side of a noul (false first).
struct Option {
  JsonValue label;      // choice: as sent (a scalar); score: its index; noul: the label word
  JsonValue criterion;  // the description as sent; null when there is none
  std::string name;     // the key of this option in the answer's probabilities
  std::string text;     // the text the model reads, without its leading space
};

struct Question {
  std::string id;
  QuestionType type = QuestionType::kChoice;
  std::string instructions;  // rendered text
  std::vector<Option> options;
  std::vector<uint32_t> order;  // slot s shows options[order[s]]; empty: as listed
};

enum class OverLength {
  kReject,    // refuse, with both counts and the question's name
  kTruncate,  // the checkpoint's own rule: keep the start of a state, the end of an array
  kWindow,    // overlapping windows of the state
};

enum class OptionsMode {
  kFit,     // the checkpoint's caps; a choice that they would spoil is answered in groups
  kGroup,   // groups whenever the options do not fit uncut
  kRefuse,  // refuse when an option would be cut
};

inline constexpr uint32_t kMostOrders = 4;

// How requests are read and answered.
struct DecideOptions {
  OverLength over_length = OverLength::kReject;
  OptionsMode options = OptionsMode::kFit;
  // A choice is asked in this many cyclic orders of its options, at most kMostOrders and at most
  // one an option, and its logits are the mean over them. The first order is the one sent.
  uint32_t orders = 1;
  // Every reference-parity switch at once: loose JSON, added tokens in user text become ids, the
  // mask literal becomes a space, options are cut as the checkpoint does, over length is truncated
  // (or read in windows, when `over_length` asks for it), and the request has no `over_length`.
  bool reference = false;
};

struct Request {
  JsonValue state;
  std::vector<Question> questions;        // in the order sent
  std::optional<OverLength> over_length;  // the request's own fields win over the options
  std::optional<uint32_t> orders = {};
};

// {"state": ..., "questions": {id: {...}}, "over_length"?, "orders"?}. Unknown members at the top
// are ignored; inside a question they are an error, unless they start with "x_" (or in reference
// mode). Errors: kRequest with the JSON Pointer of the fault.
Result<Request> ParseRequest(std::string_view json, const DecideOptions& options);
Result<Request> ParseRequest(JsonValue json, const DecideOptions& options);

// One sequence that a model reads: [CLS] head [SEP] ([MASK] option)* [SEP] state [SEP].
struct TokenPlan {
  std::vector<int32_t> ids;
  std::vector<uint32_t> markers;  // index in ids of each option's [MASK], by slot
  std::vector<uint32_t> options;  // by slot: which option of the question stands there
  uint32_t state_tokens = 0;      // tokens of the state, or of this sequence's window of it
  uint32_t state_kept = 0;        // how many of them stand in ids
};

// State tokens [begin, end).
struct StateWindow {
  uint32_t begin = 0, end = 0;
};

// How long the texts of a question are, and what its plans keep of them.
struct CutReport {
  // "{type} question: " included.
  uint32_t instruction_tokens = 0, instruction_tokens_kept = 0;
  uint32_t state_tokens = 0, state_tokens_kept = 0;
  struct OptionCut {
    uint32_t option, tokens, kept;  // tokens without the marker
  };
  std::vector<OptionCut> options;             // only the options that were cut
  uint32_t distinct_options = 0;              // capped spans that differ
  std::optional<uint32_t> tokens_per_option;  // marker included; set when all were cut to one size
  uint32_t groups = 1, windows = 1;
  bool truncated() const { return state_tokens_kept < state_tokens; }
  bool head_cut() const {  // instructions or options
    return instruction_tokens_kept < instruction_tokens || !options.empty();
  }
  bool any() const { return truncated() || head_cut(); }
};

// All the sequences one question needs: one, or one a window, group and order.
struct QuestionPlan {
  // Window by window, in each group by group, of each its orders; as many in every window.
  std::vector<TokenPlan> sequences;
  std::vector<StateWindow> windows;  // empty when the state was read in one piece
  CutReport cuts;
  uint32_t orders = 1;  // of the largest group
  // What belongs to one window.
  size_t SequencesPerWindow() const { return sequences.size() / cuts.windows; }
};

// What logits are divided by before the softmax, always clamped to [0.5, 5]: one a question type,
// and one for each bucket of option counts ("choice:3-5") that has its own.
struct Temperatures {
  std::array<double, 3> by_type = {1, 1, 1};  // by QuestionType
  std::map<std::string, double, std::less<>> by_bucket;
};

struct Window {
  uint32_t index, token_start, token_end, count;
};

struct Answer {
  QuestionType type = QuestionType::kChoice;
  // All by option as listed in the question, whatever order the model saw.
  std::vector<double> probabilities;
  std::vector<float> logits;  // raw, before temperature; of several orders the mean
  std::vector<float> action_logits;
  double temperature = 1.0;       // the one applied, after the clamp
  uint32_t best = 0;              // first largest probability
  double score = 0;               // sum of i p_i (score), P(true) (noul)
  double entropy_confidence = 0;  // Laya: 1 - H(p) / ln k; noul: max p
  double confidence = 0;          // System One: laya-format 4.1, protocols section 2
  double act_probability = 0;
  std::optional<Window> window;  // which window answered
};

// What a request cost. Made by CountUsage (src/decision/planner.h).
struct Usage {
  uint64_t input_tokens = 0;  // real tokens over all sequences
  uint64_t state_tokens = 0;  // before cutting; overlapping windows count what they share twice
  uint64_t state_tokens_dropped = 0;  // the most that any question lost, over all windows
  uint64_t truncated = 0;             // windows in which some question lost state tokens
  std::vector<std::string> truncated_questions;  // by the last window
  std::optional<uint64_t> windows;               // set when over length was answered by windows
};

// The answers to one request, question by question in the order asked.
struct Response {
  std::string model;
  std::vector<Answer> answers;
  std::vector<QuestionPlan> plans;
  Usage usage;
};

}  // namespace dikast
