#include "decision/question.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "base/json_writer.h"
#include "base/try.h"
#include "decision/python_text.h"

namespace dikast {
namespace {

constexpr std::array<std::string_view, 5> kMembers = {"type", "instructions", "criteria", "labels",
                                                      "option_order"};
constexpr std::string_view kFalseText = "no, the statement does not hold";
constexpr std::string_view kTrueText = "yes, the statement holds";

// Levenshtein distance, to name the member that was probably meant.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({diagonal + (a[i] != b[j]), above + 1, row[j] + 1});
      diagonal = above;
    }
  }
  return row.back();
}

// Names the member that was probably meant, or all when none is alike.
std::string SuggestMember(std::string_view name) {
  name = name.substr(0, 64);
  const std::string_view nearest = *std::min_element(
      kMembers.begin(), kMembers.end(),
      [&](auto a, auto b) { return EditDistance(name, a) < EditDistance(name, b); });
  if (2 * EditDistance(name, nearest) <= nearest.size()) {
    return "did you mean '" + std::string(nearest) + "'?";
  }
  std::string known;
  for (const std::string_view member : kMembers) {
    known += (known.empty() ? "" : ", ") + std::string(member);
  }
  return "a question has " + known;
}

std::string AsciiLower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  }
  return text;
}

bool IsAbsent(const JsonValue& description) {
  const std::string* text = description.AsString();
  return description.IsNull() || (text && text->empty());
}

bool IsEmptyContainer(const JsonValue& value) {
  const JsonArray* array = value.AsArray();
  const JsonObject* object = value.AsObject();
  return (array && array->empty()) || (object && object->empty());
}

// The text of a criterion in a prompt; `absent` stands for null and "".
Result<std::string> RenderCriterion(const JsonValue& value, std::string_view absent) {
  return IsAbsent(value) ? std::string(absent) : RenderText(value);
}

class QuestionReader {
 public:
  QuestionReader(const std::string& id, const JsonValue& definition, bool reference)
      : definition_(definition),
        reference_(reference),
        path_(PointerAppend("/questions", id)),
        name_(PythonRepr(id)) {
    question_.id = id;
  }

  Result<Question> Read() {
    DIKAST_CHECK_OK(CheckShape());
    DIKAST_CHECK_OK(ReadType());
    DIKAST_CHECK_OK(ReadInstructions());
    switch (question_.type) {
      case QuestionType::kChoice:
        DIKAST_CHECK_OK(ReadChoice());
        break;
      case QuestionType::kScore:
        DIKAST_CHECK_OK(ReadScore());
        break;
      case QuestionType::kNoul:
        DIKAST_CHECK_OK(ReadNoul());
        break;
    }
    DIKAST_CHECK_OK(ReadOrder());
    return std::move(question_);
  }

 private:
  tl::unexpected<Error> Refuse(const std::string& message, std::string_view member = {}) const {
    return Fail(ErrorCode::kRequest, "question " + name_ + ": " + message,
                member.empty() ? path_ : PointerAppend(path_, member));
  }
  tl::unexpected<Error> RefuseCriterion(const std::string& message, std::string_view key) const {
    return Fail(ErrorCode::kRequest, "question " + name_ + ": " + message,
                PointerAppend(PointerAppend(path_, "criteria"), key));
  }
  tl::unexpected<Error> RefuseCriterion(const std::string& message, size_t index) const {
    return RefuseCriterion(message, std::to_string(index));
  }

  Result<void> CheckShape() {
    const JsonObject* members = definition_.AsObject();
    if (!members) {
      return Refuse("a question must be an object, got " + std::string(definition_.KindName()));
    }
    if (reference_) return {};
    for (const JsonMember& member : *members) {
      const bool known = std::find(kMembers.begin(), kMembers.end(), member.key) != kMembers.end();
      if (known || member.key.starts_with("x_")) continue;
      return Refuse("unknown member " + PythonRepr(member.key) + "; " + SuggestMember(member.key),
                    member.key);
    }
    return {};
  }

  Result<void> ReadType() {
    const JsonValue* type = definition_.Find("type");
    if (!type) return Refuse("no 'type'; use choice, noul or score", "type");
    const std::string* text = type->AsString();
    if (text) {
      for (const auto known : {QuestionType::kChoice, QuestionType::kScore, QuestionType::kNoul}) {
        question_.type = known;
        if (*text == QuestionTypeName(known)) return {};
      }
    }
    const std::string found = text ? PythonRepr(*text) : std::string(type->KindName());
    const std::string hint = found == "'box'" ? " (a box needs an image, which is not read)" : "";
    return Refuse("unknown type " + found + hint + "; use choice, noul or score", "type");
  }

  Result<void> ReadInstructions() {
    const JsonValue* instructions = definition_.Find("instructions");
    if (reference_) DIKAST_CHECK_OK(RequireInstructions(instructions));
    if (!instructions || instructions->IsNull()) return {};
    DIKAST_TRY(question_.instructions, At("instructions", RenderText(*instructions)));
    return {};
  }

  Result<void> RequireInstructions(const JsonValue* instructions) {
    if (!instructions) return Refuse("no 'instructions'; add the text to answer", "instructions");
    const std::string* text = instructions->AsString();
    if (instructions->IsNull() || (text && IsBlank(*text)) || IsEmptyContainer(*instructions)) {
      return Refuse("'instructions' must not be null or empty; add the text to answer",
                    "instructions");
    }
    return {};
  }

  Result<void> ReadChoice() {
    DIKAST_CHECK_OK(RefuseLabels());
    const JsonValue* criteria = definition_.Find("criteria");
    const JsonObject* described = criteria ? criteria->AsObject() : nullptr;
    const JsonArray* listed = criteria ? criteria->AsArray() : nullptr;
    if (!described && !listed) {
      return Refuse("a choice takes 'criteria' as an object {option: description} or an array of " +
                        std::string("options, got ") + KindOf(criteria),
                    "criteria");
    }
    DIKAST_CHECK_OK(CheckCount(described ? described->size() : listed->size(), "option"));
    return described ? ReadDescribedOptions(*described) : ReadListedOptions(*listed);
  }

  Result<void> ReadDescribedOptions(const JsonObject& criteria) {
    for (const JsonMember& member : criteria) {
      DIKAST_TRY(std::string description, At("criteria", RenderCriterion(member.value, "")));
      question_.options.push_back(
          {.label = JsonValue{member.key},
           .criterion = member.value,
           .name = member.key,
           .text = IsAbsent(member.value) ? member.key : member.key + ": " + description});
    }
    return {};
  }

  Result<void> ReadListedOptions(const JsonArray& criteria) {
    std::map<std::string, size_t> keys, names;
    for (size_t i = 0; i < criteria.size(); ++i) {
      const JsonValue& label = criteria[i];
      if (label.IsNull() || label.AsArray() || label.AsObject()) {
        return RefuseCriterion("option " + std::to_string(i) +
                                   " must be a string, a number or a boolean, got " +
                                   std::string(label.KindName()),
                               i);
      }
      DIKAST_TRY(std::string name, At("criteria", RenderText(label)));
      const auto [key, new_key] = keys.emplace(PythonKey(label), i);
      const auto [same_name, new_name] = names.emplace(name, i);
      if (!new_key || (!new_name && !reference_)) {
        return RefuseCriterion("option " + std::to_string(i) + " repeats option " +
                                   std::to_string(new_key ? same_name->second : key->second) +
                                   "; give every option a name of its own",
                               i);
      }
      question_.options.push_back(
          {.label = label, .criterion = {}, .name = std::move(name), .text = PythonStr(label)});
    }
    return {};
  }

  Result<void> ReadScore() {
    DIKAST_CHECK_OK(RefuseLabels());
    const JsonValue* criteria = definition_.Find("criteria");
    const JsonArray* levels = criteria ? criteria->AsArray() : nullptr;
    if (!levels) {
      return Refuse(
          "a score takes 'criteria' as an array of levels, lowest first, got " + KindOf(criteria),
          "criteria");
    }
    DIKAST_CHECK_OK(CheckCount(levels->size(), "level"));
    for (size_t i = 0; i < levels->size(); ++i) {
      const JsonValue& level = (*levels)[i];
      const std::string index = std::to_string(i);
      if (level.IsNull()) {
        return RefuseCriterion("level " + index + " is null; describe every level", i);
      }
      DIKAST_TRY(std::string description, At("criteria", RenderText(level)));
      question_.options.push_back({.label = JsonValue{JsonNumber{index}},
                                   .criterion = level,
                                   .name = index,
                                   .text = "level " + index + ": " + description});
    }
    return {};
  }

  Result<void> ReadNoul() {
    const JsonValue* criteria = definition_.Find("criteria");
    if (criteria && !criteria->IsNull() && !criteria->AsObject()) {
      return Refuse("a noul takes 'criteria' as an object with 'true' and 'false', or none, got " +
                        KindOf(criteria),
                    "criteria");
    }
    JsonValue sides[2];  // false, true
    bool seen[2] = {false, false};
    if (criteria && criteria->AsObject()) {
      for (const JsonMember& member : *criteria->AsObject()) {
        const std::string key = AsciiLower(member.key);
        if (key != "true" && key != "false") {
          return RefuseCriterion("a noul takes only 'true' and 'false' in 'criteria', got " +
                                     PythonRepr(member.key) + "; use 'labels' for other words",
                                 member.key);
        }
        const bool side = key == "true";
        if (seen[side] && !reference_) {
          return RefuseCriterion("'" + key + "' stands twice in 'criteria'", member.key);
        }
        sides[side] = member.value;
        seen[side] = true;
      }
    }
    DIKAST_TRY(const auto labels, ReadLabels());
    for (const bool side : {false, true}) {
      DIKAST_TRY(std::string description,
                 At("criteria", RenderCriterion(sides[side], side ? kTrueText : kFalseText)));
      question_.options.push_back({.label = JsonValue{labels[side]},
                                   .criterion = std::move(sides[side]),
                                   .name = labels[side],
                                   .text = labels[side] + ": " + description});
    }
    return {};
  }

  // The words for false and true.
  Result<std::array<std::string, 2>> ReadLabels() const {
    const JsonValue* labels = definition_.Find("labels");
    if (!labels || labels->IsNull()) return std::array<std::string, 2>{"false", "true"};
    const JsonValue* no = labels->Find("false");
    const JsonValue* yes = labels->Find("true");
    if (no && yes && labels->AsObject()->size() == 2 && no->AsString() && yes->AsString()) {
      std::array<std::string, 2> words = {std::string(StripSpace(*no->AsString())),
                                          std::string(StripSpace(*yes->AsString()))};
      if (!words[0].empty() && !words[1].empty() && words[0] != words[1]) return words;
    }
    return Refuse("'labels' must be {\"false\": word, \"true\": word} with two different words",
                  "labels");
  }

  Result<void> RefuseLabels() const {
    if (!definition_.Find("labels")) return {};
    return Refuse("'labels' is only for a noul", "labels");
  }

  Result<void> ReadOrder() {
    const JsonValue* order = definition_.Find("option_order");
    if (!order) return {};
    const size_t count = question_.options.size();
    const JsonArray* slots = order->AsArray();
    std::vector<bool> seen(count);
    for (size_t s = 0; slots && slots->size() == count && s < count; ++s) {
      const JsonNumber* number = (*slots)[s].AsNumber();
      const auto option = number ? number->ToInteger() : std::nullopt;
      if (!option || *option < 0 || *option >= static_cast<int64_t>(count) || seen[*option]) break;
      seen[*option] = true;
      question_.order.push_back(static_cast<uint32_t>(*option));
    }
    if (question_.order.size() == count) return {};
    return Refuse("'option_order' must name each of the option numbers 0 to " +
                      std::to_string(count - 1) + " once",
                  "option_order");
  }

  Result<void> CheckCount(size_t count, const std::string& what) const {
    if (count == 0) return Refuse("at least one " + what + " is needed", "criteria");
    if (count > kMaxOptions && !reference_) {
      return Refuse(std::to_string(count) + " " + what + "s; at most " +
                        std::to_string(kMaxOptions) + " are read",
                    "criteria");
    }
    return {};
  }

  static std::string KindOf(const JsonValue* value) {
    return value ? std::string(value->KindName()) : "none";
  }

  // A rendering that failed, with the place it has in this question.
  Result<std::string> At(std::string_view member, Result<std::string> rendered) const {
    if (rendered) return rendered;
    return Refuse(rendered.error().message, member);
  }

  const JsonValue& definition_;
  bool reference_;
  std::string path_;
  std::string name_;
  Question question_;
};

}  // namespace

std::string_view QuestionTypeName(QuestionType type) {
  constexpr std::array<std::string_view, 3> kNames = {"choice", "score", "noul"};
  return kNames[static_cast<size_t>(type)];
}

Result<std::string> RenderText(const JsonValue& value) {
  if (const std::string* text = value.AsString()) return *text;
  return PythonJson(value);
}

Result<Question> ParseQuestion(const std::string& id, const JsonValue& definition, bool reference) {
  return QuestionReader(id, definition, reference).Read();
}

}  // namespace dikast
