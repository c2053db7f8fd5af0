// A choice whose options do not fit one head is answered in groups of options. Each group is a
// sequence of its own with the whole instructions; ReadOut takes one softmax over all their logits.
#pragma once

#include <vector>

#include "decision/head.h"

namespace dikast {

// One group of options in the order in which they are shown, and what its head keeps.
struct OptionGroup {
  std::vector<uint32_t> members;
  HeadFit fit;
};

// One group of all options when `options` allows it, else the least number of groups, of two
// options or more and of sizes that differ by one at most, that do. The groups are runs of the
// options sorted by the bytes of their texts: which options stand together depends on their set
// alone. `whole_instructions`: they may not be cut. Errors: kOverLength, with counts.
Result<std::vector<OptionGroup>> ChooseGroups(const Question& question,
                                              const EncodedQuestion& encoded, OptionsMode options,
                                              bool whole_instructions, const SequenceRules& rules);

// All options in one group, whatever is cut.
OptionGroup OneGroup(const Question& question, const EncodedQuestion& encoded,
                     const SequenceRules& rules);

}  // namespace dikast
