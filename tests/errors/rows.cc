#include "tests/errors/rows.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/json_writer.h"

namespace dikast::test {
namespace {

using Strings = std::vector<std::string>;

constexpr char kData[] = DIKAST_TEST_DATA "/errors";
constexpr char kRequest[] =
    R"({"state": "red", "questions": {"q": {"type": "choice", "criteria": ["red", "blue"]}}})";

// What a row leaves out.
Run DefaultRun(const std::string& kind) {
  if (kind == "tokenizers") {
    return {"wordpiece",
            {},
            {"tokenize", "--tokenizer", "{folder}/tokenizer.json"},
            {},
            JsonValue{"\"red\""}};
  }
  return {"bert", {}, {"decide", "--model", "{folder}", "--request", "-"}, {}, JsonValue{kRequest}};
}

std::string Text(const JsonValue& value) {
  if (value.AsString()) return *value.AsString();
  throw std::runtime_error("a string is needed, not " + JsonWriter().Value(value).Take());
}

int Integer(const JsonValue& value) {
  if (value.AsNumber() && value.AsNumber()->ToInteger()) {
    return static_cast<int>(*value.AsNumber()->ToInteger());
  }
  throw std::runtime_error("a whole number is needed, not " + JsonWriter().Value(value).Take());
}

Strings Texts(const JsonValue& value) {
  Strings texts;
  if (!value.AsArray()) throw std::runtime_error("an array is needed");
  for (const JsonValue& item : *value.AsArray()) texts.push_back(Text(item));
  return texts;
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  std::istringstream words(hex);
  for (std::string word; words >> word;) bytes += static_cast<char>(std::stoi(word, nullptr, 16));
  return bytes;
}

std::string Part(const JsonValue& part) {
  if (part.AsString()) return *part.AsString();
  if (const JsonValue* hex = part.Find("hex")) return FromHex(Text(*hex));
  const JsonValue *repeat = part.Find("repeat"), *times = part.Find("times");
  if (!repeat || !times) throw std::runtime_error("a part is a string, \"hex\" or \"repeat\"");
  const std::string unit = Text(*repeat);
  std::string text;
  for (int i = Integer(*times); i > 0; --i) text += unit;
  return text;
}

// True when the member belongs to a run, whose part it sets.
bool ReadRunMember(const std::string& key, const JsonValue& value, Run& run) {
  if (key == "base") {
    run.base = Text(value);
  } else if (key == "do") {
    run.edits = *value.AsArray();
  } else if (key == "command") {
    run.arguments = Texts(value);
  } else if (key == "args") {
    for (const std::string& argument : Texts(value)) run.arguments.push_back(argument);
  } else if (key == "environment") {
    for (const JsonMember& variable : *value.AsObject()) {
      run.environment[variable.key] = Text(variable.value);
    }
  } else if (key == "input") {
    run.input = value;
  } else if (key == "request") {
    run.input = JsonValue{JsonWriter().Value(value).Take()};
  } else {
    return false;
  }
  return true;
}

Twin ReadTwin(const JsonValue& value, const Run& first) {
  Twin twin{first, {}, true};
  if (!value.AsObject()) throw std::runtime_error("a twin is an object");
  for (const JsonMember& member : *value.AsObject()) {
    if (ReadRunMember(member.key, member.value, twin.run)) continue;
    if (member.key == "equal" || member.key == "differ") {
      twin.at = Text(member.value);
      twin.equal = member.key == "equal";
    } else {
      throw std::runtime_error("unknown member of a twin: " + member.key);
    }
  }
  return twin;
}

void ReadMember(const std::string& key, const JsonValue& value, Row& row) {
  if (ReadRunMember(key, value, row.run)) return;
  const std::array<std::pair<const char*, std::string*>, 5> texts = {{{"name", &row.name},
                                                                      {"cause", &row.cause},
                                                                      {"message", &row.message},
                                                                      {"path", &row.path},
                                                                      {"warning", &row.warning}}};
  const auto text =
      std::find_if(texts.begin(), texts.end(), [&](auto t) { return t.first == key; });
  if (text != texts.end()) {
    *text->second = Text(value);
  } else if (key == "faults") {
    row.faults = Texts(value);
  } else if (key == "exit") {
    row.exit_code = Integer(value);
  } else if (key == "answer") {
    row.answer = value;
  } else if (key != "twin") {
    throw std::runtime_error("unknown member " + key);
  }
}

Row ReadRow(const JsonValue& value, const std::string& kind) {
  if (!value.AsObject()) throw std::runtime_error("a row is an object");
  Row row;
  row.run = DefaultRun(kind);
  for (const JsonMember& member : *value.AsObject()) ReadMember(member.key, member.value, row);
  if (const JsonValue* twin = value.Find("twin")) row.twin = ReadTwin(*twin, row.run);
  return row;
}

std::vector<Row> ReadKinds(const std::filesystem::path& folder) {
  std::vector<Row> all;
  for (const char* kind : {"requests.jsonl", "tokenizers.jsonl", "checkpoints.jsonl"}) {
    for (Row& row : ReadRows(folder / kind)) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace

std::vector<Row> ErrorRows() { return ReadKinds(kData); }
std::vector<Row> RightRows() { return ReadKinds(std::filesystem::path(kData) / "right"); }

std::string Bytes(const JsonValue& value) {
  if (!value.AsArray()) return Text(value);
  std::string bytes;
  for (const JsonValue& part : *value.AsArray()) bytes += Part(part);
  return bytes;
}

std::vector<std::pair<int, JsonValue>> ReadJsonLines(const std::filesystem::path& file) {
  std::vector<std::pair<int, JsonValue>> values;
  std::ifstream in(file);
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    if (text.empty()) continue;
    Result<JsonValue> value = ParseJson(text);
    if (!value) {
      throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " +
                               value.error().path + ": " + value.error().message);
    }
    values.emplace_back(number, *std::move(value));
  }
  return values;
}

std::vector<Row> ReadRows(const std::filesystem::path& file) {
  std::vector<Row> rows;
  for (const auto& [line, value] : ReadJsonLines(file)) {
    try {
      rows.push_back(ReadRow(value, file.stem().string()));
    } catch (const std::exception& error) {
      throw std::runtime_error(file.string() + ":" + std::to_string(line) + ": " + error.what());
    }
    rows.back().file = file;
    rows.back().line = line;
  }
  return rows;
}

}  // namespace dikast::test
