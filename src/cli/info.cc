// dikast info: the model and the machine.
#include "cli/info.h"

#include <cstdio>
#include <memory>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace dikast::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  dikast info
  dikast info --model ~/models/laya --json

Reads the configuration and the header of the weights, not the weights.
)";

struct Arguments {
  ModelOptions model;
  FormOptions form;
};

void WriteTypes(const ModelInfo& info, JsonWriter& writer) {
  writer.Key("types").BeginObject();
  for (const TensorTypeCount& type : info.types) {
    writer.Key(type.type).BeginObject();
    writer.Key("tensors").Integer(static_cast<int64_t>(type.tensors));
    writer.Key("bytes").Integer(static_cast<int64_t>(type.bytes)).EndObject();
  }
  writer.EndObject();
}

}  // namespace

std::string FormatInfo(const ModelInfo& info) {
  JsonWriter writer;
  const auto number = [&](const char* key, uint64_t value) {
    writer.Key(key).Integer(static_cast<int64_t>(value));
  };
  writer.BeginObject().Key("dikast").String(Version());
  writer.Key("model").String(info.name).Key("folder").String(Printable(info.folder.string()));
  writer.Key("family").String(info.family);
  number("layers", info.layers);
  number("head_layers", info.head_layers);
  number("width", info.width);
  number("heads", info.heads);
  number("vocabulary", info.vocabulary);
  number("max_len", info.max_len);
  number("head_max_len", info.head_max_len);
  number("batch_tokens", info.batch_tokens);
  number("parameters", info.parameters);
  number("file_bytes", info.file_bytes);
  WriteTypes(info, writer);
  writer.Key("calibration")
      .String(info.calibration.empty() ? "none" : Printable(info.calibration.string()));
  writer.Key("isa").String(info.isa).Key("available_isas").BeginArray();
  for (const std::string& isa : AvailableIsas()) writer.String(isa);
  writer.EndArray();
  number("threads", static_cast<uint64_t>(info.threads));
  return writer.EndObject().Take();
}

namespace {

std::string Megabytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

std::string Line(const char* name, const std::string& value) {
  return FitTo(name, 12, true) + Printable(value) + "\n";
}

std::string DescribeTypes(const ModelInfo& info) {
  std::string text;
  for (const TensorTypeCount& type : info.types) {
    text += (text.empty() ? "" : ", ") + std::to_string(type.tensors) + " " + type.type + " (" +
            Megabytes(type.bytes) + ")";
  }
  return text;
}

std::string DescribeIsa(const ModelInfo& info) {
  std::string others;
  for (const std::string& isa : AvailableIsas()) {
    if (isa != info.isa) others += (others.empty() ? "" : ", ") + isa;
  }
  return info.isa + (others.empty() ? "" : " (also here: " + others + ")");
}

std::string DescribeInfo(const ModelInfo& info) {
  const auto text = [](uint64_t value) { return std::to_string(value); };
  return Line("dikast", std::string(Version())) + Line("model", info.name) +
         Line("folder", info.folder.string()) +
         Line("layout", info.family + ", " + text(info.layers) + " layers, width " +
                            text(info.width) + ", " + text(info.heads) + " heads, head of " +
                            text(info.head_layers) + " layers, vocabulary " +
                            text(info.vocabulary)) +
         Line("size", text(info.parameters) + " parameters, " + Megabytes(info.file_bytes)) +
         Line("tensors", DescribeTypes(info)) +
         Line("limits", text(info.max_len) + " tokens a sequence, " + text(info.head_max_len) +
                            " of them for a question with its options, " + text(info.batch_tokens) +
                            " a batch") +
         Line("temperature", info.calibration.empty() ? "of the checkpoint"
                                                      : "from " + info.calibration.string()) +
         Line("isa", DescribeIsa(info)) + Line("threads", text(info.threads));
}

int Run(const Arguments& arguments) {
  const ModelInfo info = OrQuit(InspectModel(ToEngineOptions(arguments.model)));
  Print(WantsTable(arguments.form) ? DescribeInfo(info) : FormatInfo(info) + "\n");
  return kAnswered;
}

}  // namespace

void AddInfo(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("info", "Describe the model and the machine");
  command->footer(kExamples);
  const auto arguments = std::make_shared<Arguments>();
  AddModelOptions(*command, arguments->model);
  AddMachineOptions(*command, arguments->model);
  AddFormOptions(*command, arguments->form);
  command->callback([arguments, &exit_code] { exit_code = Run(*arguments); });
}

}  // namespace dikast::cli
