#include "decision/head.h"

#include <algorithm>

#include "base/try.h"

namespace dikast {
namespace {

std::string ReplaceAll(std::string text, std::string_view literal, char with) {
  if (literal.empty() || text.find(literal) == std::string::npos) return text;
  std::string out;
  size_t begin = 0;
  for (size_t at; (at = text.find(literal, begin)) != std::string::npos;) {
    out.append(text, begin, at - begin);
    out += with;
    begin = at + literal.size();
  }
  return out.append(text, begin);
}

// The cap of 48: the first ids, or the last ones when the tokenizer truncates on the left.
void CapOption(std::vector<int32_t>& ids, bool truncate_left) {
  if (ids.size() <= kOptionTokens) return;
  if (truncate_left) {
    ids.erase(ids.begin(), ids.end() - kOptionTokens);
  } else {
    ids.resize(kOptionTokens);
  }
}

}  // namespace

Result<std::vector<int32_t>> TextEncoder::Encode(std::string text) const {
  if (reference_) text = ReplaceAll(std::move(text), rules_.mask_literal, ' ');
  std::vector<int32_t> ids;
  const AddedTokens mode = reference_ ? AddedTokens::kMatch : AddedTokens::kText;
  DIKAST_CHECK_OK(tokenizer_.Encode(text, mode, ids));
  return ids;
}

Result<std::vector<int32_t>> TextEncoder::Window(std::span<const int32_t> tokens) const {
  if (reference_) return Encode(tokenizer_.Decode(tokens, DecodedTokens::kKeep));
  return std::vector<int32_t>(tokens.begin(), tokens.end());
}

Result<EncodedQuestion> EncodeQuestion(const Question& question, const TextEncoder& encoder,
                                       const SequenceRules& rules) {
  EncodedQuestion encoded;
  DIKAST_TRY(encoded.instructions, encoder.Encode(std::string(QuestionTypeName(question.type)) +
                                                  " question: " + question.instructions));
  encoded.options.reserve(question.options.size());
  encoded.option_tokens.reserve(question.options.size());
  for (const Option& option : question.options) {
    DIKAST_TRY(std::vector<int32_t> ids, encoder.Encode(" " + option.text));
    encoded.option_tokens.push_back(static_cast<uint32_t>(ids.size()));
    CapOption(ids, rules.truncate_left);
    encoded.options.push_back(std::move(ids));
  }
  return encoded;
}

HeadFit FitHead(const EncodedQuestion& question, std::span<const uint32_t> members,
                const SequenceRules& rules) {
  HeadFit fit;
  const int64_t budget = rules.head_max_len;
  const auto options_total = [&] {
    int64_t total = 0;
    for (const uint32_t option : members) total += 1 + KeptTokens(question, option, fit).size();
    return total;
  };
  int64_t total = options_total();
  if (budget - total < kLeastHeadTokens) {
    const int64_t share = (budget - kLeastHeadTokens) / static_cast<int64_t>(members.size());
    fit.tokens_per_option = static_cast<uint32_t>(std::max<int64_t>(4, share));
    total = options_total();
  }
  fit.room = budget - total;
  const int64_t found = static_cast<int64_t>(question.instructions.size());
  fit.instruction_tokens = static_cast<uint32_t>(std::min(found, std::max<int64_t>(8, fit.room)));
  fit.head_tokens = static_cast<uint32_t>(3 + fit.instruction_tokens + total);
  return fit;
}

std::span<const int32_t> KeptTokens(const EncodedQuestion& question, uint32_t option,
                                    const HeadFit& fit) {
  const std::span<const int32_t> ids = question.options[option];
  const size_t most = fit.tokens_per_option ? *fit.tokens_per_option - 1 : kOptionTokens;
  return ids.first(std::min(ids.size(), most));
}

TokenPlan BuildHead(const EncodedQuestion& question, std::span<const uint32_t> members,
                    const HeadFit& fit, const SequenceRules& rules) {
  TokenPlan head;
  head.ids.reserve(fit.head_tokens);
  head.ids.push_back(rules.cls);
  const auto instructions = question.instructions.begin();
  head.ids.insert(head.ids.end(), instructions, instructions + fit.instruction_tokens);
  head.ids.push_back(rules.sep);
  for (const uint32_t option : members) {
    head.markers.push_back(static_cast<uint32_t>(head.ids.size()));
    head.ids.push_back(rules.mask);
    const auto kept = KeptTokens(question, option, fit);
    head.ids.insert(head.ids.end(), kept.begin(), kept.end());
  }
  head.ids.push_back(rules.sep);
  head.options.assign(members.begin(), members.end());
  return head;
}

uint32_t StateRoom(const TokenPlan& head, const SequenceRules& rules) {
  const size_t used = head.ids.size() + 1;
  return used < rules.max_len ? static_cast<uint32_t>(rules.max_len - used) : 0;
}

TokenPlan AppendState(const TokenPlan& head, std::span<const int32_t> state, bool keep_end,
                      const SequenceRules& rules) {
  const size_t kept = std::min<size_t>(state.size(), StateRoom(head, rules));
  const auto part = keep_end ? state.last(kept) : state.first(kept);
  TokenPlan plan;
  plan.ids.reserve(head.ids.size() + kept + 1);
  plan.ids = head.ids;
  plan.ids.insert(plan.ids.end(), part.begin(), part.end());
  plan.ids.push_back(rules.sep);
  plan.ids.resize(std::min<size_t>(plan.ids.size(), rules.max_len));
  plan.markers = head.markers;
  plan.options = head.options;
  plan.state_tokens = static_cast<uint32_t>(state.size());
  plan.state_kept = static_cast<uint32_t>(kept);
  return plan;
}

}  // namespace dikast
