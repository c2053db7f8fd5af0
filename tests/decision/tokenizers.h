// The tokenizers of real checkpoints, where their files are.
#pragma once

#include <string>

#include "decision/planner.h"
#include "dikast/tokenizer.h"

namespace dikast {

// "words", "bert", "modernbert" or "mmbert"; null when its file is neither under tests/data nor in
// the folder that $DIKAST_TOKENIZERS names. mmBERT's is made from Gemma's.
const Tokenizer* FindTokenizer(const std::string& name);

// Its control tokens; the limits are those of the checkpoint that uses it.
SequenceRules TokenizerRules(const std::string& name);

}  // namespace dikast
