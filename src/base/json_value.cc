#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/json_events.h"
#include "dikast/json.h"

namespace dikast {
namespace {

// The power of ten of the first non-zero digit, as far as its sign goes: does a number that no
// double holds lie above or below the range?
bool IsHuge(std::string_view spelling) {
  const size_t e = spelling.find_first_of("eE");
  const std::string_view digits = spelling.substr(0, e);
  const bool negative_exponent = e != std::string_view::npos && spelling[e + 1] == '-';
  const size_t point = std::min(digits.find('.'), digits.size());
  const size_t first = digits.find_first_of("123456789");
  // More than 308 places on one side of the point outweigh any exponent of the other sign only in
  // texts of that length; such an exponent is compared as a number.
  long long exponent = 0;
  if (e != std::string_view::npos) {
    const char* begin = spelling.data() + e + (spelling[e + 1] == '+' ? 2 : 1);
    const auto parsed = std::from_chars(begin, spelling.data() + spelling.size(), exponent);
    if (parsed.ec != std::errc()) return !negative_exponent;
  }
  const long long place = static_cast<long long>(point) - static_cast<long long>(first);
  return exponent + place > 0;
}

// Where a parse stands: one frame for each open container.
struct Frame {
  JsonValue container;
  std::optional<std::string> key;  // of the member being read
};

class TreeBuilder final : public JsonHandler {
 public:
  TreeBuilder(JsonDialect dialect, const JsonLimits& limits) : dialect_(dialect), limits_(limits) {}

  bool BeginObject() override { return Push(JsonObject()); }
  bool EndObject() override { return CheckKeys() && Pop(); }
  bool BeginArray() override { return Push(JsonArray()); }
  bool EndArray() override { return Pop(); }
  bool Key(std::string_view key) override {
    if (!CheckString(key, "a key")) return false;
    stack_.back().key = key;
    return true;
  }
  bool String(std::string_view text) override {
    return CheckString(text, "a string") && Add(std::string(text));
  }
  bool Bool(bool value) override { return Add(value); }
  bool Null() override { return Add(nullptr); }
  bool Number(std::string_view spelling) override {
    JsonNumber number{std::string(spelling)};
    if (dialect_ == JsonDialect::kStrict && !std::isfinite(number.ToDouble())) {
      return Refuse("the number is past the range of a double; send it as a string", Pointer());
    }
    return Add(std::move(number));
  }

  Error error() const override { return error_; }
  std::string Pointer() const override {
    std::string pointer;
    for (const Frame& frame : stack_) {
      if (const JsonArray* array = frame.container.AsArray()) {
        pointer += PointerAppend("", array->size());
      } else if (frame.key) {
        pointer += PointerAppend("", *frame.key);
      }
    }
    return pointer;
  }
  JsonValue Take() { return std::move(root_); }

 private:
  template <class T>
  bool Push(T container) {
    stack_.push_back({JsonValue{std::move(container)}, {}});
    return true;
  }

  bool Pop() {
    JsonValue done = std::move(stack_.back().container);
    stack_.pop_back();
    return Add(std::move(done.value));
  }

  bool CheckString(std::string_view text, const char* what) {
    if (text.size() <= limits_.string_bytes) return true;
    return Refuse(std::string(what) + " of " + std::to_string(text.size()) + " bytes is over the " +
                      std::to_string(limits_.string_bytes) + " that are read",
                  Pointer());
  }

  template <class T>
  bool Add(T&& value) {
    if (++values_ > limits_.values) {
      return Refuse("more than " + std::to_string(limits_.values) +
                        " values; send less, or the part as one string",
                    {});
    }
    JsonValue node{std::forward<T>(value)};
    if (stack_.empty()) {
      root_ = std::move(node);
    } else if (auto* array = std::get_if<JsonArray>(&stack_.back().container.value)) {
      array->push_back(std::move(node));
    } else {
      Frame& top = stack_.back();
      auto& members = std::get<JsonObject>(top.container.value);
      members.push_back({*std::exchange(top.key, std::nullopt), std::move(node)});
    }
    return true;
  }

  // Sorted once an object is complete: no quadratic search in an object of many keys.
  bool CheckKeys() {
    auto& members = std::get<JsonObject>(stack_.back().container.value);
    std::vector<size_t> order(members.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return members[a].key < members[b].key; });
    std::vector<bool> drop(members.size(), false);
    bool repeated = false;
    size_t first = 0;
    for (size_t i = 1; i < order.size(); ++i) {
      if (members[order[i]].key != members[order[first]].key) {
        first = i;
        continue;
      }
      if (dialect_ == JsonDialect::kStrict) return RefuseKey(members[order[i]].key);
      members[order[first]].value = std::move(members[order[i]].value);
      drop[order[i]] = repeated = true;
    }
    if (repeated) Erase(members, drop);
    return true;
  }

  static void Erase(JsonObject& members, const std::vector<bool>& drop) {
    JsonObject kept;
    for (size_t i = 0; i < members.size(); ++i) {
      if (!drop[i]) kept.push_back(std::move(members[i]));
    }
    members = std::move(kept);
  }

  bool RefuseKey(const std::string& key) {
    stack_.back().key = key;
    return Refuse("the key stands twice in one object; give each member a name of its own",
                  Pointer());
  }

  bool Refuse(std::string message, std::string path) {
    error_ = {ErrorCode::kRequest, std::move(message), std::move(path)};
    return false;
  }

  JsonDialect dialect_;
  JsonLimits limits_;
  size_t values_ = 0;
  std::vector<Frame> stack_;
  JsonValue root_;
  Error error_;
};

}  // namespace

bool JsonNumber::IsInteger() const {
  return spelling.find_first_not_of("-0123456789") == std::string::npos;
}

double JsonNumber::ToDouble() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (spelling == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const bool negative = spelling.starts_with('-');
  if (spelling.ends_with("Infinity")) return negative ? -kInfinity : kInfinity;
  double value = 0;
  const auto parsed = std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
  if (parsed.ec == std::errc()) return value;
  const double magnitude = IsHuge(spelling) ? kInfinity : 0.0;
  return negative ? -magnitude : magnitude;
}

std::optional<int64_t> JsonNumber::ToInteger() const {
  int64_t value = 0;
  const char* end = spelling.data() + spelling.size();
  const auto parsed = std::from_chars(spelling.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

const JsonValue* JsonValue::Find(std::string_view key) const {
  const JsonObject* object = AsObject();
  if (!object) return nullptr;
  const auto found = std::find_if(object->begin(), object->end(),
                                  [&](const JsonMember& member) { return member.key == key; });
  return found == object->end() ? nullptr : &found->value;
}

std::string_view JsonValue::KindName() const {
  constexpr std::array<std::string_view, 6> kNames = {"null",     "a boolean", "a number",
                                                      "a string", "an array",  "an object"};
  return kNames[value.index()];
}

Result<JsonValue> ParseJson(std::string_view text, JsonDialect dialect, const JsonLimits& limits) {
  TreeBuilder builder(dialect, limits);
  const Result<void> parsed = ParseJsonEvents(text, dialect, builder);
  if (!parsed) return tl::unexpected(parsed.error());
  return builder.Take();
}

std::string PointerAppend(std::string_view pointer, std::string_view token) {
  std::string out(pointer);
  out += '/';
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string PointerAppend(std::string_view pointer, size_t index) {
  return PointerAppend(pointer, std::to_string(index));
}

}  // namespace dikast
