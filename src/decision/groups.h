// A choice whose options do not fit one head is answered in groups of options. Each group is a
// sequence of its own with the whole instructions; ReadOut takes one softmax over all their logits.
#pragma once

#include <span>
#include <vector>

#include "decision/head.h"

namespace dikast {

// One group of options in the order in which they are shown, and what its head keeps.
struct OptionGroup {
  std::vector<uint32_t> members;
  HeadFit fit;
};

// One group of all options when `options` allows it, else the least number of groups, of sizes that
// differ by one at most, that do: of two options or more where only the instructions lack room. The
// groups are runs of the options sorted by the bytes of their texts: which options stand together
// depends on their set alone. `whole_instructions`: they may not be cut. Errors: kOverLength, with
// counts.
Result<std::vector<OptionGroup>> ChooseGroups(const Question& question,
                                              const EncodedQuestion& encoded, OptionsMode options,
                                              bool whole_instructions, const SequenceRules& rules);

// All options in one group, whatever is cut.
OptionGroup OneGroup(const Question& question, const EncodedQuestion& encoded,
                     const SequenceRules& rules);

// The tokens that are kept of each option, group by group.
using TokenSpans = std::vector<std::span<const int32_t>>;
TokenSpans KeptOptions(const EncodedQuestion& encoded, std::span<const OptionGroup> groups);

// How many of them differ: the model cannot tell the others apart, in one group or in two.
size_t CountDistinct(TokenSpans options);

}  // namespace dikast
