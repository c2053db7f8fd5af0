// What a model is, as its files say it.
#include <algorithm>

#include "base/file.h"
#include "base/sha256.h"
#include "base/thread_pool.h"
#include "base/try.h"
#include "checkpoint/weights.h"
#include "runtime/calibration.h"
#include "runtime/guard.h"
#include "runtime/isa_choice.h"
#include "runtime/planner_impl.h"
#include "runtime/weight_info.h"

namespace dikast {
namespace {

// A forward pass of a million tokens wants tens of gigabytes: more is a slip of the keyboard.
constexpr uint32_t kMostBatchTokens = 1u << 20;
constexpr int kMostThreads = 1024;

std::string ModelName(const CheckpointConfig& config, const std::filesystem::path& folder) {
  if (!config.laya.model_name.empty()) return config.laya.model_name;
  const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// The limit in force: the option's, else the checkpoint's; never past the encoder's positions.
Result<uint32_t> MaxLen(const CheckpointConfig& config, const EngineOptions& options,
                        uint32_t positions) {
  const uint32_t max_len = options.max_len != 0 ? options.max_len : config.laya.max_len;
  if (max_len <= positions) return max_len;
  const bool asked = options.max_len != 0;
  return Fail(asked ? ErrorCode::kUsage : ErrorCode::kModel,
              "max_len " + std::to_string(max_len) + " is more than the " +
                  std::to_string(positions) + " positions of the encoder" +
                  (asked ? "" : "; --max-len sets a smaller one"),
              asked ? "--max-len" : (options.model / "rl_agent_config.json").string());
}

uint64_t ElementBits(Storage storage) {
  switch (storage) {
    case Storage::kF32:
      return 32;
    case Storage::kF16:
    case Storage::kBF16:
      return 16;
    case Storage::kAffine8:
      return 8;
    case Storage::kAffine4:
      return 4;
  }
  return 0;
}

uint64_t StoredBytes(const StoredTensor& tensor) {
  const uint64_t elements = uint64_t{tensor.rows} * tensor.columns;
  const uint64_t codes = elements * ElementBits(tensor.storage) / 8;
  if (tensor.scales == nullptr) return codes;
  return codes + 2 * (elements / tensor.group) * ElementBits(tensor.scale_storage) / 8;
}

void DescribeEncoder(const CheckpointConfig& config, ModelInfo& info, uint32_t& positions) {
  std::visit(
      [&](const auto& encoder) {
        info.layers = encoder.layers;
        info.width = encoder.width;
        info.heads = encoder.heads;
        info.vocabulary = encoder.vocabulary;
        positions = encoder.max_positions;
      },
      config.encoder);
  info.family = std::holds_alternative<BertConfig>(config.encoder) ? "bert" : "modernbert";
}

}  // namespace

Result<ModelInfo> DescribeModel(const CheckpointConfig& config, const EngineOptions& options) {
  ModelInfo info;
  uint32_t positions = 0;
  DescribeEncoder(config, info, positions);
  info.name = ModelName(config, options.model);
  info.folder = options.model;
  info.calibration = FindCalibration(options);
  info.head_layers = config.laya.head_layers;
  DIKAST_TRY(info.max_len, MaxLen(config, options, positions));
  info.head_max_len = options.head_max_len != 0 ? options.head_max_len : config.laya.head_max_len;
  if (options.batch_tokens > kMostBatchTokens) {
    return Fail(ErrorCode::kUsage, "batch_tokens " + std::to_string(options.batch_tokens) +
                                       " is over the limit of " + std::to_string(kMostBatchTokens));
  }
  if (options.threads > kMostThreads) {
    return Fail(ErrorCode::kUsage,
                "threads " + std::to_string(options.threads) + " is over the limit of " +
                    std::to_string(kMostThreads),
                "--threads");
  }
  info.batch_tokens = std::max(options.batch_tokens, info.max_len);
  return info;
}

void DescribeWeights(const Weights& weights, ModelInfo& info) {
  info.file_bytes = weights.file_bytes();
  for (const auto& [name, tensor] : weights.all()) {
    const std::string_view type = StorageName(tensor.storage);
    auto count = std::find_if(info.types.begin(), info.types.end(),
                              [&](const TensorTypeCount& c) { return c.type == type; });
    if (count == info.types.end()) count = info.types.insert(count, {std::string(type), 0, 0});
    ++count->tensors;
    count->bytes += StoredBytes(tensor);
    info.parameters += uint64_t{tensor.rows} * tensor.columns;
  }
}

Result<ModelInfo> InspectModel(const EngineOptions& options) {
  return Guarded("inspecting the model", [&]() -> Result<ModelInfo> {
    DIKAST_TRY(const CheckpointConfig config, LoadConfig(options.model));
    DIKAST_TRY(ModelInfo info, DescribeModel(config, options));
    DIKAST_TRY(info.temperatures, LoadTemperatures(config, options));
    DIKAST_TRY(const Weights weights, Weights::Open(options.model / "model.safetensors", config));
    DIKAST_TRY(const Ops* ops, ChooseIsa(options.isa));
    DescribeWeights(weights, info);
    info.isa = IsaName(ops->isa);
    info.threads = ChooseThreads(options.threads);
    return info;
  });
}

Result<std::string> HashModel(const std::filesystem::path& folder) {
  constexpr std::string_view kMayBeAbsent = "tokenizer/special_tokens_map.json";
  constexpr std::string_view kFiles[] = {"rl_agent_config.json",
                                         "encoder/config.json",
                                         "tokenizer/tokenizer.json",
                                         "tokenizer/tokenizer_config.json",
                                         kMayBeAbsent,
                                         "model.safetensors"};
  return Guarded("hashing the model", [&]() -> Result<std::string> {
    std::string digests;
    for (const std::string_view name : kFiles) {
      if (name == kMayBeAbsent && !std::filesystem::exists(folder / name)) continue;
      DIKAST_TRY(const MappedFile file, MappedFile::Open(folder / name));
      digests += std::string(name) + Sha256Hex(file.bytes());
    }
    return Sha256Hex(std::as_bytes(std::span(digests)));
  });
}

}  // namespace dikast
