#include "server/openai_question.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "base/try.h"
#include "server/openai_input.h"
#include "server/request_reader.h"

namespace dikast::server {
namespace {

class QuestionReader {
 public:
  QuestionReader(JsonValue question, std::string path, const CallContext& context)
      : sent_(std::move(question)), path_(std::move(path)), context_(context) {}

  // The question in System One's form; what its answer repeats goes to `asked`.
  tl::expected<JsonValue, Fault> Read(AskedQuestion& asked) {
    if (!sent_.AsObject()) {
      return Invalid("invalid_type",
                     "a question must be an object, got " + std::string(sent_.KindName()), path_);
    }
    DIKAST_TRY(const std::string type, ReadText(sent_, "type", path_));
    if (type == "predicate") return ReadAs("noul", "", asked);
    if (type == "choice") return ReadAs("choice", "choices", asked);
    if (type == "score") return ReadAs("score", "levels", asked);
    return Invalid("invalid_value", "'type' must be one of predicate, choice, score",
                   path_ + "/type");
  }

 private:
  tl::expected<JsonValue, Fault> ReadAs(const char* type, std::string_view listed,
                                        AskedQuestion& asked) {
    DIKAST_CHECK_OK(RefuseUnknown(listed));
    DIKAST_CHECK_OK(ReadQuestionName(asked));
    if (!sent_.Find("instructions")) {
      return Invalid("missing_required_parameter", "'instructions' is missing",
                     path_ + "/instructions");
    }
    DIKAST_TRY(JsonValue instructions,
               ReadInstructions(Take(sent_, "instructions"), path_ + "/instructions"));
    JsonObject question;
    question.push_back({"type", {std::string(type)}});
    question.push_back({"instructions", std::move(instructions)});
    if (listed.empty()) return JsonValue{std::move(question)};
    DIKAST_TRY(const JsonArray elements, TakeList(std::string(listed)));
    DIKAST_TRY(JsonValue criteria,
               listed == "choices" ? ReadChoices(elements, asked) : ReadLevels(elements, asked));
    question.push_back({"criteria", std::move(criteria)});
    return JsonValue{std::move(question)};
  }

  tl::expected<void, Fault> RefuseUnknown(std::string_view listed) const {
    for (const JsonMember& member : *sent_.AsObject()) {
      const std::string& key = member.key;
      if (key == "type" || key == "instructions" || key == "name" || key.starts_with("x_") ||
          (!listed.empty() && key == listed)) {
        continue;
      }
      return Invalid("unknown_parameter",
                     "a question of this type takes type, instructions, name" +
                         (listed.empty() ? "" : " and " + std::string(listed)),
                     PointerAppend(path_, key));
    }
    return {};
  }

  tl::expected<void, Fault> ReadQuestionName(AskedQuestion& asked) const {
    const JsonValue* name = sent_.Find("name");
    if (!name || name->IsNull()) return {};
    DIKAST_TRY(asked.name, ReadText(sent_, "name", path_));
    return {};
  }

  tl::expected<JsonArray, Fault> TakeList(const std::string& name) {
    const std::string at = path_ + "/" + name;
    const bool missing = !sent_.Find(name);
    JsonValue list = Take(sent_, name);
    if (!list.AsArray()) {
      return Invalid(missing ? "missing_required_parameter" : "invalid_type",
                     "'" + name + "' must be an array, got " +
                         (missing ? "none" : std::string(list.KindName())),
                     at);
    }
    const size_t count = list.AsArray()->size();
    if (count == 0) return Invalid("array_below_min_length", "'" + name + "' is empty", at);
    DIKAST_CHECK_OK(CheckCount(count, name, &ServerLimits::options, context_, at));
    return std::move(std::get<JsonArray>(list.value));
  }

  // The description of a choice or level; nothing when it has none.
  static tl::expected<std::optional<std::string>, Fault> ReadDescription(const JsonValue& element,
                                                                         const std::string& path) {
    if (!element.AsObject()) {
      return Invalid("invalid_type", "an object is needed, got " + std::string(element.KindName()),
                     path);
    }
    const JsonValue* description = element.Find("description");
    if (!description || description->IsNull()) return std::nullopt;
    DIKAST_TRY(std::string text, ReadText(element, "description", path));
    return text;
  }

  tl::expected<JsonValue, Fault> ReadChoices(const JsonArray& choices, AskedQuestion& asked) const {
    JsonObject criteria;
    for (size_t i = 0; i < choices.size(); ++i) {
      const std::string at = PointerAppend(path_ + "/choices", i);
      DIKAST_TRY(const auto description, ReadDescription(choices[i], at));
      const JsonValue* value = choices[i].Find("value");
      if (!value || (!value->AsString() && !value->AsBool())) {
        return Invalid(value ? "invalid_type" : "missing_required_parameter",
                       "'value' must be a string or a boolean, got " +
                           (value ? std::string(value->KindName()) : "none"),
                       at + "/value");
      }
      if (Repeats(asked.labels, *value)) {
        return Invalid("invalid_value", "this value is already among the choices", at + "/value");
      }
      asked.labels.push_back(*value);
      criteria.push_back({value->AsString()  ? *value->AsString()
                          : *value->AsBool() ? "true"
                                             : "false",
                          description ? JsonValue{*description} : JsonValue{}});
    }
    return JsonValue{std::move(criteria)};
  }

  // true and "true" are two values.
  static bool Repeats(const JsonArray& values, const JsonValue& value) {
    return std::any_of(values.begin(), values.end(), [&](const JsonValue& other) {
      if (value.AsBool()) return other.AsBool() && *other.AsBool() == *value.AsBool();
      return other.AsString() && *other.AsString() == *value.AsString();
    });
  }

  tl::expected<JsonValue, Fault> ReadLevels(const JsonArray& levels, AskedQuestion& asked) const {
    JsonArray criteria;
    for (size_t i = 0; i < levels.size(); ++i) {
      const std::string at = PointerAppend(path_ + "/levels", i);
      DIKAST_TRY(const auto description, ReadDescription(levels[i], at));
      DIKAST_TRY(const std::string label, ReadText(levels[i], "label", at));
      asked.labels.push_back({label});
      criteria.push_back({description ? label + ": " + *description : label});
    }
    return JsonValue{std::move(criteria)};
  }

  JsonValue sent_;
  std::string path_;
  const CallContext& context_;
};

}  // namespace

tl::expected<JsonValue, Fault> ReadOpenAiQuestion(JsonValue question, std::string path,
                                                  const CallContext& context,
                                                  AskedQuestion& asked) {
  return QuestionReader(std::move(question), std::move(path), context).Read(asked);
}

}  // namespace dikast::server
