// BERT's normaliser: control characters dropped, CJK between spaces, accents stripped, lower case.
#pragma once

#include <string>
#include <string_view>

#include "text/normalize.h"

namespace dikast {

struct BertNormalizer {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;

  // Appends the normalised form of well-formed `text` to `out`.
  void Append(std::string_view text, NormalizationBuffer& buffer, std::string& out) const;

 private:
  void AppendSegment(std::string_view text, NormalizationBuffer& buffer, std::string& out) const;
  void Collect(char32_t c, NormalizationBuffer& buffer) const;
};

}  // namespace dikast
