#include "base/json_events.h"

// This translation unit carries the implementation of Boost.JSON.
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#include <string>

#include "base/try.h"

namespace dikast {
namespace {

namespace json = boost::json;

// Boost.JSON hands over long strings and numbers in parts; this joins them and turns a false answer
// of the handler into an error that stops the parser.
class Adapter {
 public:
  static constexpr size_t max_object_size = static_cast<size_t>(-1);
  static constexpr size_t max_array_size = static_cast<size_t>(-1);
  static constexpr size_t max_key_size = static_cast<size_t>(-1);
  static constexpr size_t max_string_size = static_cast<size_t>(-1);

  explicit Adapter(JsonHandler& handler) : handler_(handler) {}

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& ec) { return Go(handler_.BeginObject(), ec); }
  bool on_object_end(size_t, json::error_code& ec) { return Go(handler_.EndObject(), ec); }
  bool on_array_begin(json::error_code& ec) { return Go(handler_.BeginArray(), ec); }
  bool on_array_end(size_t, json::error_code& ec) { return Go(handler_.EndArray(), ec); }
  bool on_key_part(json::string_view part, size_t, json::error_code&) { return Join(part); }
  bool on_key(json::string_view last, size_t, json::error_code& ec) {
    return Go(handler_.Key(Whole(last)), ec);
  }
  bool on_string_part(json::string_view part, size_t, json::error_code&) { return Join(part); }
  bool on_string(json::string_view last, size_t, json::error_code& ec) {
    return Go(handler_.String(Whole(last)), ec);
  }
  bool on_number_part(json::string_view part, json::error_code&) { return Join(part); }
  bool on_int64(int64_t, json::string_view last, json::error_code& ec) { return Number(last, ec); }
  bool on_uint64(uint64_t, json::string_view last, json::error_code& ec) {
    return Number(last, ec);
  }
  bool on_double(double, json::string_view last, json::error_code& ec) { return Number(last, ec); }
  bool on_bool(bool value, json::error_code& ec) { return Go(handler_.Bool(value), ec); }
  bool on_null(json::error_code& ec) {
    if (bare_word.empty()) return Go(handler_.Null(), ec);
    return Go(handler_.Number(bare_word), ec);
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  std::string_view bare_word;  // the word that the next null stands for
  bool stopped = false;        // by the handler

 private:
  bool Go(bool more, json::error_code& ec) {
    if (more) return true;
    stopped = true;
    ec = json::error::extra_data;  // any error: the handler's own is reported
    return false;
  }
  bool Number(json::string_view last, json::error_code& ec) {
    return Go(handler_.Number(Whole(last)), ec);
  }
  bool Join(json::string_view part) {
    parts_.append(part.data(), part.size());
    return true;
  }
  std::string_view Whole(json::string_view last) {
    if (parts_.empty()) return {last.data(), last.size()};
    parts_.append(last.data(), last.size());
    whole_.swap(parts_);
    parts_.clear();
    return whole_;
  }

  JsonHandler& handler_;
  std::string parts_, whole_;
};

// The next NaN, Infinity or -Infinity outside strings at or after `from`; empty at the end.
std::string_view NextBareWord(std::string_view text, size_t from, bool& in_string) {
  constexpr std::array<std::string_view, 3> kWords = {"NaN", "Infinity", "-Infinity"};
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    for (const std::string_view word : kWords) {
      if (c == word[0] && text.substr(i).starts_with(word)) return text.substr(i, word.size());
    }
  }
  return {};
}

bool EndsWithSurrogate(std::string_view text) {
  if (text.size() < 6) return false;
  const std::string_view last = text.substr(text.size() - 6);
  return (last.starts_with("\\ud") || last.starts_with("\\uD")) && last[3] >= '8';
}

// What stands at the byte where a parse ended, for people.
std::string Explain(std::string_view text, size_t at, const json::error_code& ec) {
  if (ec == json::error::too_deep) {
    return "at most " + std::to_string(kMaxJsonDepth) + " levels are read";
  }
  if (at >= text.size()) return text.empty() ? "the text is empty" : "the text ends there";
  if (at == 0 && text.starts_with("\xEF\xBB\xBF")) return "send it without a byte order mark";
  bool in_string = false;
  const std::string_view word = NextBareWord(text.substr(at, 9), 0, in_string);
  if (!word.empty() && word.data() == text.data() + at) {
    return std::string(word) + " is no JSON number; send null or a string";
  }
  if (EndsWithSurrogate(text.substr(0, at))) return "half a surrogate pair is no character";
  const unsigned char c = static_cast<unsigned char>(text[at]);
  if (c < 0x20) return "a control character in a string must be escaped";
  if (c >= 0x7f) return "that is no valid UTF-8, or stands outside a string";
  if (c == '\'') return "strings stand in double quotes";
  return std::string("found '") + text[at] + "'";
}

class Parse {
 public:
  Parse(std::string_view text, JsonHandler& handler)
      : text_(text), handler_(handler), parser_(Options(), handler) {}

  Result<void> Strict() { return Feed(text_, false); }

  // Each bare word is fed as a null that the adapter turns back into the word.
  Result<void> Loose() {
    size_t done = 0;
    bool in_string = false;
    for (;;) {
      const std::string_view word = NextBareWord(text_, done, in_string);
      if (word.empty()) return Feed(text_.substr(done), false);
      const size_t at = static_cast<size_t>(word.data() - text_.data());
      DIKAST_CHECK_OK(Feed(text_.substr(done, at - done), true));
      parser_.handler().bare_word = word;
      DIKAST_CHECK_OK(Feed("null", true));
      parser_.handler().bare_word = {};
      done = at + word.size();
      consumed_ = done;
    }
  }

 private:
  static json::parse_options Options() {
    json::parse_options options;
    options.max_depth = kMaxJsonDepth;
    return options;
  }

  Result<void> Feed(std::string_view part, bool more) {
    json::error_code ec;
    const size_t n = parser_.write_some(more, part.data(), part.size(), ec);
    if (!ec && n < part.size()) ec = json::error::extra_data;
    if (!ec) {
      consumed_ += n;
      return {};
    }
    if (parser_.handler().stopped) return tl::unexpected(handler_.error());
    const size_t at = consumed_ + n;
    return Fail(ErrorCode::kRequest,
                "not JSON: " + ec.message() + " at byte " + std::to_string(at) + ": " +
                    Explain(text_, at, ec),
                handler_.Pointer());
  }

  std::string_view text_;
  JsonHandler& handler_;
  json::basic_parser<Adapter> parser_;
  size_t consumed_ = 0;
};

}  // namespace

Result<void> ParseJsonEvents(std::string_view text, JsonDialect dialect, JsonHandler& handler) {
  Parse parse(text, handler);
  return dialect == JsonDialect::kStrict ? parse.Strict() : parse.Loose();
}

}  // namespace dikast
