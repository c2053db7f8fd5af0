// Loading a model and asking it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dikast/decision.h"
#include "dikast/status.h"

namespace dikast {

// The version of the library, "0.1.0".
std::string_view Version();

// Instruction sets this build carries and this machine runs, best first: "avx512", "avx2",
// "scalar".
std::vector<std::string> AvailableIsas();

// Folders that may hold models/ and presets/, in the order they are searched: the program's own
// folder and the two above it (a build folder in a source tree), share/dikast beside its bin/, and
// the share/dikast that this library was installed with.
std::vector<std::filesystem::path> DataFolders();

// The checkpoint folder to load: `model` if it is not empty, else $DIKAST_MODEL, else
// models/dikast-mini in the first of DataFolders() that has it. Errors: kModel, with every place
// that was tried.
Result<std::filesystem::path> FindModel(std::string_view model);

struct EngineOptions {
  std::filesystem::path model = {};  // a checkpoint folder (FindModel)
  int threads = 0;                   // 0: one a core this process may run on
  std::string isa = {};              // a name of `dikast info`; "": $DIKAST_ISA, else the best
  uint32_t max_len = 0;              // 0: the checkpoint's own
  uint32_t head_max_len = 0;         // 0: the checkpoint's own
  // Temperatures: empty for the calibration.json of the model's folder, if it has one; "none" for
  // the checkpoint's own; else a file. One that was fitted for another model is an error.
  std::filesystem::path calibration = {};
  uint32_t batch_tokens = 1024;  // most tokens of one forward pass (at least max_len is used)
};

struct TensorTypeCount {
  std::string type;  // "F32", "F16", "BF16", "affine8", "affine4"
  uint64_t tensors = 0, bytes = 0;
};

struct ModelInfo {
  std::string name;    // model_name of the configuration, else the folder's name
  std::string family;  // "modernbert", "bert"
  std::filesystem::path folder;
  std::filesystem::path calibration;  // the file in use; empty: the checkpoint's own temperatures
  uint32_t layers = 0, head_layers = 0, width = 0, heads = 0, vocabulary = 0;
  uint32_t max_len = 0, head_max_len = 0, batch_tokens = 0;
  uint64_t parameters = 0, file_bytes = 0;
  std::vector<TensorTypeCount> types;
  Temperatures temperatures;  // in use; a Planner has none
  std::string isa;            // empty for a Planner: no weights were loaded
  int threads = 0;
};

// The model that `options` names, as its files describe it; the weights stay on disk. `isa` and
// `threads` are those an Engine would use. Errors: as Engine::Load.
Result<ModelInfo> InspectModel(const EngineOptions& options);

// SHA-256 over the files of a checkpoint that shape its answers: configurations, tokenizer,
// weights. Errors: kModel for a file that cannot be read.
Result<std::string> HashModel(const std::filesystem::path& folder);

// Request to token plan: everything that happens before the forward pass. Reads the configuration
// and the tokenizer, never the weights. Immutable: safe to share between threads.
class Planner {
 public:
  // Errors: kModel, naming the file and the key; kUsage for a limit that is out of range.
  static Result<Planner> Load(const EngineOptions& options);
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;
  ~Planner();

  // One plan a question, in order. Errors: kOverLength names the question and both counts.
  Result<std::vector<QuestionPlan>> Plan(const Request& request,
                                         const DecideOptions& options) const;
  const ModelInfo& info() const;

 private:
  friend class Engine;
  struct Impl;
  explicit Planner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One model in memory. Calls are answered one forward at a time: concurrent callers wait.
class Engine {
 public:
  // Errors: kModel, naming the file and the tensor or key; kUsage for an ISA that is not there.
  static Result<Engine> Load(const EngineOptions& options);
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // The answer to a question has the same bits whatever else is in `request`. Errors: those of
  // Planner::Plan; kModel when a number is not finite or memory lacks.
  Result<Response> Decide(const Request& request, const DecideOptions& options);
  // The same for several requests at once, which fills the batches better: one result a request, in
  // order. One that is refused leaves the others alone.
  std::vector<Result<Response>> DecideMany(std::span<const Request> requests,
                                           const DecideOptions& options);
  const Planner& planner() const;
  const ModelInfo& info() const;

  struct Impl;  // src/runtime/engine_impl.h

 private:
  friend class Scheduler;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dikast
