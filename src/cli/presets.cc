// dikast presets: lists the ready-made questions, or prints one set.
#include <memory>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/preset_files.h"
#include "cli/terminal.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast presets
  dikast presets support
  DIKAST_PRESETS=~/presets dikast presets

A preset is a JSON file with "name", "description", "questions" and an "example" state. Those in
the folders of $DIKAST_PRESETS (joined by ":") come before the ones that dikast brings.
)";

struct Arguments {
  std::string name;
  FormOptions form;
};

std::string FormatList(const std::vector<Preset>& presets) {
  JsonWriter writer;
  writer.BeginObject();
  for (const Preset& preset : presets) writer.Key(preset.name).String(preset.description);
  return writer.EndObject().Take() + "\n";
}

std::string DescribeList(const std::vector<Preset>& presets) {
  size_t width = 0;
  for (const Preset& preset : presets) width = std::max(width, DisplayWidth(preset.name));
  std::string text;
  for (const Preset& preset : presets) {
    text += FitTo(Printable(preset.name), width + 2, true) + Printable(preset.description) + "\n";
  }
  return text;
}

int Run(const Arguments& arguments) {
  if (!arguments.name.empty()) {
    const Preset preset = OrQuit(LoadPreset(arguments.name));
    Print(JsonWriter().Value(preset.document).Take() + "\n");
    return kAnswered;
  }
  const std::vector<Preset> presets = OrQuit(ListPresets());
  Print(WantsTable(arguments.form) ? DescribeList(presets) : FormatList(presets));
  return kAnswered;
}

}  // namespace

void AddPresets(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("presets", "List the ready-made questions");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("name", arguments->name, "Print this preset, as JSON");
  AddFormOptions(*command, arguments->form);
  command->callback([arguments, &exit_code] { exit_code = Run(*arguments); });
}

}  // namespace dikast::cli
