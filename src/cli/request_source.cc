#include "cli/request_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/try.h"
#include "cli/preset_files.h"
#include "dikast/json.h"

namespace dikast::cli {
namespace {

constexpr size_t kMostRequestBytes = 64u << 20;

// Pipes and process substitutions are read like files, so the size is not known before.
Result<std::string> ReadAll(int descriptor, const std::string& name) {
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count == 0) return text;
    if (count < 0) return Fail(ErrorCode::kModel, std::strerror(errno), name);
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > kMostRequestBytes) {
      return Fail(ErrorCode::kRequest, "more than 64 MiB of input; send it in parts", name);
    }
  }
}

// JSON out of a file or an argument: errors say which one.
Result<JsonValue> ParseNamed(const std::string& text, const std::string& name,
                             const DecideOptions& options) {
  Result<JsonValue> value =
      ParseJson(text, options.reference ? JsonDialect::kReference : JsonDialect::kStrict);
  if (value) return value;
  return Fail(value.error().code, value.error().message, name + value.error().path);
}

Result<JsonValue> ReadState(const SourceOptions& source, const DecideOptions& options) {
  if (!source.state && !source.state_file) {
    return Fail(ErrorCode::kUsage,
                "no state: give --state TEXT, --state-file FILE (- is stdin) or --request FILE");
  }
  std::string text = source.state.value_or("");
  if (source.state_file) {
    DIKAST_TRY(text, ReadInput(*source.state_file));
  }
  if (!source.state_json) return JsonValue{std::move(text)};
  return ParseNamed(text, source.state ? "--state" : *source.state_file, options);
}

// An array is no set of questions, and hardly a file: the request's error says so best.
bool LooksLikeJson(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

Result<JsonValue> ReadQuestions(const std::string& argument, const DecideOptions& options) {
  if (LooksLikeJson(argument)) return ParseNamed(argument, "--questions", options);
  DIKAST_TRY(const std::string text, ReadInput(argument));
  return ParseNamed(text, argument, options);
}

Result<JsonValue> AssembleDocument(const SourceOptions& source, const DecideOptions& options) {
  JsonValue state, questions;
  const JsonValue* example = nullptr;
  Preset preset;
  if (source.preset) {
    DIKAST_TRY(preset, LoadPreset(*source.preset));
    questions = *preset.document.Find("questions");
    if (source.example) example = preset.document.Find("example");
  } else if (source.questions) {
    DIKAST_TRY(questions, ReadQuestions(*source.questions, options));
  } else {
    return Fail(ErrorCode::kUsage,
                "no questions: give --preset NAME, --questions FILE or --request FILE");
  }
  if (example != nullptr && !source.state && !source.state_file) {
    state = *example;
  } else {
    DIKAST_TRY(state, ReadState(source, options));
  }
  return JsonValue{JsonObject{{"state", std::move(state)}, {"questions", std::move(questions)}}};
}

}  // namespace

Result<std::string> ReadInput(const std::string& file) {
  if (file == "-") return ReadAll(STDIN_FILENO, "standard input");
  const Descriptor input(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (input.get() < 0) {
    return Fail(ErrorCode::kModel, std::strerror(errno), file.empty() ? "''" : file);
  }
  return ReadAll(input.get(), file);
}

Result<JsonValue> ReadDocument(const SourceOptions& source, const DecideOptions& options) {
  if (!source.request) return AssembleDocument(source, options);
  DIKAST_TRY(const std::string text, ReadInput(*source.request));
  return ParseJson(text, options.reference ? JsonDialect::kReference : JsonDialect::kStrict);
}

Result<Request> ReadRequest(const SourceOptions& source, const DecideOptions& options) {
  DIKAST_TRY(JsonValue document, ReadDocument(source, options));
  return ParseRequest(std::move(document), options);
}

}  // namespace dikast::cli
