// dikast tokenize: JSON strings in, arrays of token ids out.
#include <charconv>
#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/lines.h"
#include "cli/options.h"
#include "dikast/json.h"
#include "dikast/tokenizer.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  echo '"I was charged twice."' | dikast tokenize --tokenizer models/dikast-mini/tokenizer/tokenizer.json
  dikast tokenize --tokenizer tokenizer.json --added-tokens match < strings.ndjson

One JSON string a line in, one array of ids a line out; a line that is none gets
{"error": {"message", "path"}}. With 'text' (the default) control tokens such as [MASK] in the text
are plain characters; with 'match' they become their ids, as in the reference.
)";

struct Arguments {
  std::string tokenizer, added_tokens = "text";
  FormOptions form;
};

std::string FormatIds(std::span<const int32_t> ids) {
  std::string text = "[";
  for (const int32_t id : ids) {
    char digits[16];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, id);
    if (text.size() > 1) text += ',';
    text.append(digits, end.ptr);
  }
  return text + "]";
}

Result<std::string> Encode(const Tokenizer& tokenizer, AddedTokens mode,
                           const Result<std::string>& line) {
  if (!line) return line;
  DIKAST_TRY(const JsonValue value, ParseJson(*line));
  if (value.AsString() == nullptr) {
    return Fail(ErrorCode::kRequest,
                "each line must be a JSON string, and this is " + std::string(value.KindName()));
  }
  std::vector<int32_t> ids;
  DIKAST_CHECK_OK(tokenizer.Encode(*value.AsString(), mode, ids));
  return FormatIds(ids);
}

int Run(const Arguments& arguments) {
  const Tokenizer tokenizer = OrQuit(Tokenizer::FromFile(arguments.tokenizer));
  const AddedTokens mode =
      arguments.added_tokens == "match" ? AddedTokens::kMatch : AddedTokens::kText;
  const LineJob job{.quiet = arguments.form.quiet, .batch_bytes = 1 << 20};
  return RunLines(job, [&](std::span<const Result<std::string>> lines, LineAnswers& answers) {
    for (const Result<std::string>& line : lines) {
      const Result<std::string> ids = Encode(tokenizer, mode, line);
      ids ? answers.Add(nullptr, *ids) : answers.Fail(nullptr, ids.error());
    }
  });
}

}  // namespace

void AddTokenize(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("tokenize", "Turn JSON strings into token ids, line by line");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("--tokenizer", arguments->tokenizer, "A tokenizer.json")->required();
  command
      ->add_option("--added-tokens", arguments->added_tokens,
                   "Control tokens spelled in the text: plain characters (text, the default), or "
                   "their ids (match)")
      ->check(CLI::IsMember({"text", "match"}));
  AddQuietOption(*command, arguments->form);
  command->callback([arguments, &exit_code] { exit_code = Run(*arguments); });
}

}  // namespace dikast::cli
