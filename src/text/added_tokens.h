// Added tokens: strings that become one id before the model sees the text around them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dikast {

struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool single_word = false;  // not next to a \w character
  bool lstrip = false;       // swallows the white space before it
  bool rstrip = false;       // and after it
  bool normalized = false;   // looked for, normalised, in the normalised text
  bool special = false;
};

// White-space runs and Gemma's HTML tags mean what they look like, also in user text; every other
// added token has a control meaning.
bool IsPlainText(const AddedToken& token);

// Finds the leftmost, and of those the longest, of a set of strings.
class AddedTokenMatcher {
 public:
  // `pattern` is what is looked for: the token's content, normalised where the token asks for it.
  // An empty pattern never matches.
  void Add(std::string_view pattern, const AddedToken& token);

  // Calls text_sink(std::string_view) and id_sink(int32_t) for the parts of `text` in order; text
  // parts are never empty.
  template <class TextSink, class IdSink>
  void Split(std::string_view text, TextSink&& text_sink, IdSink&& id_sink) const {
    size_t done = 0;
    for (Match match = Next(text, 0); match.token; match = Next(text, match.end)) {
      size_t begin = match.begin, end = match.end;
      if (!Widen(text, *match.token, done, begin, end)) continue;
      if (done < begin) text_sink(text.substr(done, begin - done));
      id_sink(match.token->id);
      done = end;
    }
    if (done < text.size()) text_sink(text.substr(done));
  }

 private:
  struct Token {
    int32_t id;
    bool single_word, lstrip, rstrip;
  };
  // A trie; the children of a node are a list.
  struct Node {
    int32_t token = -1;  // index in tokens_
    uint32_t first_child = 0;
    uint32_t next_sibling = 0;
    unsigned char byte = 0;
  };
  struct Match {
    size_t begin = 0, end = 0;
    const Token* token = nullptr;
  };

  Match Next(std::string_view text, size_t from) const;
  Match LongestAt(std::string_view text, size_t at) const;
  uint32_t Child(uint32_t node, unsigned char byte) const {
    uint32_t child = nodes_[node].first_child;
    while (child != 0 && nodes_[child].byte != byte) child = nodes_[child].next_sibling;
    return child;
  }
  // Applies the strip rules to [begin, end); false when the match does not count (single_word).
  static bool Widen(std::string_view text, const Token& token, size_t done, size_t& begin,
                    size_t& end);

  std::vector<Token> tokens_;
  std::vector<Node> nodes_{Node()};    // nodes_[0] is the root
  std::array<bool, 256> starts_ = {};  // bytes that a pattern starts with
};

}  // namespace dikast
