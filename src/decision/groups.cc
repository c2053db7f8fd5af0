#include "decision/groups.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "decision/python_text.h"

namespace dikast {
namespace {

std::vector<uint32_t> SlotOrder(const Question& question) {
  if (!question.order.empty()) return question.order;
  std::vector<uint32_t> order(question.options.size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

// An option lost tokens to the head budget (not to the cap of 48) and keeps fewer than `least`.
bool AnyShrunk(const EncodedQuestion& encoded, const OptionGroup& group, size_t least) {
  return std::any_of(group.members.begin(), group.members.end(), [&](uint32_t option) {
    const size_t kept = KeptTokens(encoded, option, group.fit).size();
    return kept < encoded.options[option].size() && kept < least;
  });
}

// Two options that differ became equal.
bool AnyMerged(const EncodedQuestion& encoded, std::span<const OptionGroup> groups) {
  const bool shrunk = std::any_of(groups.begin(), groups.end(), [](const OptionGroup& group) {
    return group.fit.tokens_per_option.has_value();
  });
  if (!shrunk) return false;
  const TokenSpans whole(encoded.options.begin(), encoded.options.end());
  return CountDistinct(KeptOptions(encoded, groups)) < CountDistinct(whole);
}

bool OptionsFit(const EncodedQuestion& encoded, std::span<const OptionGroup> groups,
                OptionsMode options) {
  const size_t least = options == OptionsMode::kFit ? kLeastOptionTokens : kOptionTokens + 1;
  return std::none_of(groups.begin(), groups.end(),
                      [&](const auto& group) { return AnyShrunk(encoded, group, least); }) &&
         !AnyMerged(encoded, groups);
}

bool HeadFits(const EncodedQuestion& encoded, const OptionGroup& group, bool whole_instructions,
              const SequenceRules& rules) {
  if (group.fit.head_tokens >= rules.max_len) return false;
  const auto found = static_cast<int64_t>(encoded.instructions.size());
  return !whole_instructions || found <= group.fit.room;
}

// `count` runs of the sorted options, each in slot order.
std::vector<OptionGroup> Split(const std::vector<uint32_t>& slots,
                               const std::vector<size_t>& rank_of_option, size_t count,
                               const EncodedQuestion& encoded, const SequenceRules& rules) {
  std::vector<OptionGroup> groups(count);
  for (const uint32_t option : slots) {
    groups[rank_of_option[option] * count / slots.size()].members.push_back(option);
  }
  for (OptionGroup& group : groups) group.fit = FitHead(encoded, group.members, rules);
  return groups;
}

// Where each option stands among all, sorted by the bytes of text and name.
std::vector<size_t> RankOptions(const Question& question) {
  std::vector<uint32_t> sorted(question.options.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    const Option &left = question.options[a], &right = question.options[b];
    return std::tie(left.text, left.name) < std::tie(right.text, right.name);
  });
  std::vector<size_t> rank(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) rank[sorted[i]] = i;
  return rank;
}

// `alone`: each option in a group of its own, and still something does not fit.
tl::unexpected<Error> RefuseOptions(const Question& question, const EncodedQuestion& encoded,
                                    const std::vector<OptionGroup>& alone,
                                    const SequenceRules& rules) {
  const size_t longest =
      *std::max_element(encoded.option_tokens.begin(), encoded.option_tokens.end());
  const bool too_long = std::any_of(alone.begin(), alone.end(), [&](const OptionGroup& group) {
    return group.fit.head_tokens >= rules.max_len;
  });
  const std::string limit = too_long ? "max_len" : "head_max_len";
  return Fail(ErrorCode::kOverLength,
              "question " + PythonRepr(question.id) + ": its instructions take " +
                  std::to_string(encoded.instructions.size()) + " tokens and its longest option " +
                  std::to_string(longest) + ", and " + limit + " " +
                  std::to_string(too_long ? rules.max_len : rules.head_max_len) +
                  " has no room for both even alone; shorten them or raise " + limit,
              PointerAppend(PointerAppend("/questions", question.id), "criteria"));
}

tl::unexpected<Error> RefuseCuts(const Question& question, const EncodedQuestion& encoded,
                                 const OptionGroup& all) {
  size_t cut = 0;
  uint32_t first = 0;
  for (uint32_t option = encoded.options.size(); option-- > 0;) {
    if (KeptTokens(encoded, option, all.fit).size() == encoded.option_tokens[option]) continue;
    first = option;
    ++cut;
  }
  return Fail(ErrorCode::kOverLength,
              "question " + PythonRepr(question.id) + ": " + std::to_string(cut) + " of " +
                  std::to_string(encoded.options.size()) + " options would be cut, the first is " +
                  PythonRepr(question.options[first].name) + " with " +
                  std::to_string(encoded.option_tokens[first]) + " tokens, " +
                  std::to_string(KeptTokens(encoded, first, all.fit).size()) +
                  " allowed; shorten it or answer with --options fit or group",
              PointerAppend(PointerAppend("/questions", question.id), "criteria"));
}

bool AnyCut(const EncodedQuestion& encoded, const OptionGroup& all) {
  return std::any_of(all.members.begin(), all.members.end(), [&](uint32_t option) {
    return KeptTokens(encoded, option, all.fit).size() < encoded.option_tokens[option];
  });
}

}  // namespace

TokenSpans KeptOptions(const EncodedQuestion& encoded, std::span<const OptionGroup> groups) {
  TokenSpans kept;
  kept.reserve(encoded.options.size());
  for (const OptionGroup& group : groups) {
    for (const uint32_t option : group.members) {
      kept.push_back(KeptTokens(encoded, option, group.fit));
    }
  }
  return kept;
}

size_t CountDistinct(TokenSpans options) {
  std::sort(options.begin(), options.end(), [](auto a, auto b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  const auto last = std::unique(options.begin(), options.end(), [](auto a, auto b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  });
  return static_cast<size_t>(last - options.begin());
}

OptionGroup OneGroup(const Question& question, const EncodedQuestion& encoded,
                     const SequenceRules& rules) {
  OptionGroup all{.members = SlotOrder(question), .fit = {}};
  all.fit = FitHead(encoded, all.members, rules);
  return all;
}

Result<std::vector<OptionGroup>> ChooseGroups(const Question& question,
                                              const EncodedQuestion& encoded, OptionsMode options,
                                              bool whole_instructions, const SequenceRules& rules) {
  const std::vector<OptionGroup> one{OneGroup(question, encoded, rules)};
  const OptionGroup& all = one.front();
  if (options == OptionsMode::kRefuse && AnyCut(encoded, all)) {
    return RefuseCuts(question, encoded, all);
  }
  const auto fit = [&](const std::vector<OptionGroup>& tried) {
    const auto head_fits = [&](const OptionGroup& group) {
      return HeadFits(encoded, group, whole_instructions, rules);
    };
    return std::all_of(tried.begin(), tried.end(), head_fits) &&
           OptionsFit(encoded, tried, options);
  };
  const bool may_split = question.type == QuestionType::kChoice && options != OptionsMode::kRefuse;
  if (!may_split || fit(one)) return one;

  // A lone option is compared with nothing beside it: only when the options leave no other way.
  const bool options_fit = OptionsFit(encoded, one, options);
  const size_t most = options_fit ? all.members.size() / 2 : all.members.size();
  const std::vector<size_t> rank = RankOptions(question);
  std::vector<OptionGroup> groups = one;
  for (size_t count = 2; count <= most; ++count) {
    groups = Split(all.members, rank, count, encoded, rules);
    if (fit(groups)) return groups;
  }
  // The instructions alone are too long, which the planner says.
  if (options_fit) return one;
  return RefuseOptions(question, encoded, groups, rules);
}

}  // namespace dikast
