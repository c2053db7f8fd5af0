#include "tests/errors/broken_folder.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/json_writer.h"
#include "checkpoint/config.h"
#include "tests/errors/json_edit.h"
#include "tests/errors/rows.h"
#include "tests/errors/tensor_file.h"
#include "tests/models/random_checkpoint.h"

namespace dikast::test {
namespace {

namespace fs = std::filesystem;

constexpr char kBases[] = DIKAST_TEST_DATA "/errors/bases";
constexpr char kWeights[] = "model.safetensors";
constexpr uint32_t kSeed = 7;  // the bytes do not matter, only that all runs have the same

std::string ReadText(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("no file " + file.string());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void WriteText(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void AddWeights(const fs::path& folder) {
  const Result<CheckpointConfig> config = LoadConfig(folder);
  if (!config) throw std::runtime_error(config.error().path + ": " + config.error().message);
  const Storage matrices = config->laya.quantized_bits ? Storage::kAffine8 : Storage::kF32;
  const testing::RandomCheckpoint weights(*config, kSeed, matrices);
  fs::copy(weights.file(), folder / kWeights);
}

void CopyBase(const std::string& base, const fs::path& folder) {
  fs::copy(fs::path(kBases) / base, folder, fs::copy_options::recursive);
  if (!fs::exists(folder / "rl_agent_config.json")) return;
  fs::copy(fs::path(kBases) / "wordpiece/tokenizer.json", folder / "tokenizer/tokenizer.json");
  AddWeights(folder);
}

// One edit of a row, applied to a folder.
class Editor {
 public:
  Editor(const JsonValue& edit, const fs::path& folder) : edit_(edit), folder_(folder) {}

  void Apply() const {
    if (edit_.Find("set")) return EditJson("set");
    if (edit_.Find("delete")) return EditJson("delete");
    if (edit_.Find("remove")) return void(fs::remove_all(File("remove")));
    if (edit_.Find("write")) return WriteText(File("write"), Bytes(Member("bytes")));
    if (edit_.Find("truncate")) return Truncate();
    if (edit_.Find("patch")) return Patch();
    EditTensor();
  }

 private:
  const JsonValue& Member(const char* key) const {
    if (const JsonValue* member = edit_.Find(key)) return *member;
    throw std::runtime_error("an edit lacks " + std::string(key) + ": " +
                             JsonWriter().Value(edit_).Take());
  }
  std::string Text(const char* key) const { return *Member(key).AsString(); }
  int64_t Integer(const char* key) const { return *Member(key).AsNumber()->ToInteger(); }
  fs::path File(const char* key) const { return folder_ / Text(key); }

  // "FILE#/POINTER"; of the weights the header is edited.
  void EditJson(const char* verb) const {
    const std::string place = Text(verb);
    const size_t hash = place.find('#');
    const fs::path file = folder_ / place.substr(0, hash);
    const std::string pointer = place.substr(hash + 1);
    const bool weights = file.filename() == kWeights;
    TensorFile parts = weights ? ReadTensorFile(file) : TensorFile{*ParseJson(ReadText(file)), {}};
    if (edit_.Find("to")) {
      SetAt(parts.header, pointer, Member("to"));
    } else {
      DeleteAt(parts.header, pointer);
    }
    weights ? WriteTensorFile(file, parts)
            : WriteText(file, JsonWriter().Value(parts.header).Take());
  }

  // To so many bytes; a negative number takes so many off.
  void Truncate() const {
    const fs::path file = File("truncate");
    const int64_t to = Integer("to");
    fs::resize_file(file, static_cast<uintmax_t>(
                              to >= 0 ? to : static_cast<int64_t>(fs::file_size(file)) + to));
  }

  void Patch() const {
    std::string text = ReadText(File("patch"));
    const std::string bytes = Bytes(Member("bytes"));
    WriteText(File("patch"), text.replace(static_cast<size_t>(Integer("at")), bytes.size(), bytes));
  }

  void EditTensor() const {
    TensorFile tensors = ReadTensorFile(folder_ / kWeights);
    const std::string name = Text("tensor");
    if (edit_.Find("rename")) {
      RenameTensor(tensors, name, Text("rename"));
    } else if (edit_.Find("zeros")) {
      PutZeros(tensors, name, Text("zeros"), *Member("shape").AsArray());
    } else if (edit_.Find("fill")) {
      FillTensor(tensors, name, std::stof(Text("fill")));
    } else {
      Member("drop");
      DropTensor(tensors, name);
    }
    WriteTensorFile(folder_ / kWeights, tensors);
  }

  const JsonValue& edit_;
  const fs::path& folder_;
};

}  // namespace

BrokenFolder::BrokenFolder(const std::string& base, const JsonArray& edits) {
  std::string name = (fs::temp_directory_path() / "dikast-errors-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
  path_ = name;
  CopyBase(base, path_);
  for (const JsonValue& edit : edits) Editor(edit, path_).Apply();
}

BrokenFolder::~BrokenFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace dikast::test
