#include "checkpoint/weights.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/quote.h"
#include "base/try.h"
#include "checkpoint/weight_tables.h"

namespace dikast {
namespace {

constexpr uint64_t kAffineGroup = 64;
constexpr std::string_view kWeightSuffix = ".weight";

std::optional<Storage> FloatStorage(std::string_view dtype) {
  if (dtype == "F32") return Storage::kF32;
  if (dtype == "F16") return Storage::kF16;
  if (dtype == "BF16") return Storage::kBF16;
  return std::nullopt;
}

// Binds one file's tensors; remembers which of them were taken.
class Binder {
 public:
  Binder(const TensorMap& tensors, std::optional<uint32_t> quantized_bits, const std::string& file)
      : tensors_(tensors), quantized_bits_(quantized_bits), file_(file) {}

  // Null when the tensor is not in the file.
  Result<std::optional<StoredTensor>> Bind(const WeightSpec& spec) {
    const SafeTensor* tensor = Take(spec.name);
    if (!tensor) return std::nullopt;
    const SafeTensor* scales = nullptr;
    if (spec.matrix() && spec.name.ends_with(kWeightSuffix)) scales = Take(Beside(spec, ".scales"));
    if (scales) return BindAffine(spec, *tensor, *scales);
    return BindFloat(spec, *tensor);
  }

  tl::unexpected<Error> Missing(const WeightSpec& spec) const {
    return Wrong(spec.name,
                 "it is missing; the configuration needs it with shape " + ShapeText(Shape(spec)) +
                     (HasOldName(spec.name) ? "; rename gamma to weight and beta to bias" : ""));
  }

  // Errors: a tensor that no declaration took.
  Result<void> CheckAllTaken() const {
    if (taken_.size() == tensors_.size()) return {};
    for (const auto& [name, tensor] : tensors_) {
      if (taken_.contains(name)) continue;
      const size_t others = tensors_.size() - taken_.size() - 1;
      return Wrong(name, "the configuration declares no such tensor" +
                             (others ? " (nor " + std::to_string(others) + " others)" : "") +
                             Hint(name));
    }
    return {};
  }

 private:
  static std::vector<uint64_t> Shape(const WeightSpec& spec) {
    if (spec.matrix()) return {spec.rows, spec.columns};
    return {spec.columns};
  }

  // "X.scales" of "X.weight".
  static std::string Beside(const WeightSpec& spec, std::string_view suffix) {
    return spec.name.substr(0, spec.name.size() - kWeightSuffix.size()) + std::string(suffix);
  }

  // Files of the first BERT call the weight of a norm gamma and its bias beta.
  bool HasOldName(std::string_view name) const {
    const std::string layer(name.substr(0, name.rfind('.') + 1));
    return tensors_.contains(layer + (name.ends_with(kWeightSuffix) ? "gamma" : "beta"));
  }

  static std::string Hint(std::string_view name) {
    if (name.ends_with(".position_ids")) return "; drop it, positions are counted";
    return "";
  }

  tl::unexpected<Error> Wrong(const std::string& name, const std::string& message) const {
    return Fail(ErrorCode::kModel, "tensor " + Quote(name) + ": " + message, file_);
  }

  const SafeTensor* Take(const std::string& name) {
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) return nullptr;
    taken_.insert(at->first);
    return &at->second;
  }

  Result<void> CheckShape(const std::string& name, const SafeTensor& tensor,
                          const std::vector<uint64_t>& need) const {
    if (tensor.shape == need) return {};
    return Wrong(name, "the shape is " + ShapeText(tensor.shape) + " but the configuration needs " +
                           ShapeText(need));
  }

  Result<Storage> CheckFloat(const std::string& name, const SafeTensor& tensor) const {
    if (const std::optional<Storage> storage = FloatStorage(tensor.dtype)) return *storage;
    return Wrong(name, "the dtype is " + tensor.dtype + " but F32, F16 or BF16 is needed");
  }

  Result<std::optional<StoredTensor>> BindFloat(const WeightSpec& spec,
                                                const SafeTensor& tensor) const {
    if (tensor.dtype == "U32" && spec.matrix() && spec.name.ends_with(kWeightSuffix)) {
      return Wrong(spec.name, "it holds packed codes (U32) but " + Quote(Beside(spec, ".scales")) +
                                  " is missing");
    }
    DIKAST_TRY(const Storage storage, CheckFloat(spec.name, tensor));
    DIKAST_CHECK_OK(CheckShape(spec.name, tensor, Shape(spec)));
    return StoredTensor{.storage = storage,
                        .rows = std::max<uint64_t>(1, spec.rows),
                        .columns = spec.columns,
                        .data = tensor.bytes.data()};
  }

  Result<std::optional<StoredTensor>> BindAffine(const WeightSpec& spec, const SafeTensor& codes,
                                                 const SafeTensor& scales) {
    const std::string scales_name = Beside(spec, ".scales"), biases_name = Beside(spec, ".biases");
    if (!quantized_bits_) {
      return Wrong(scales_name,
                   "the matrix is quantised but rl_agent_config.json has no "
                   "\"quantization\" with its bits");
    }
    const SafeTensor* biases = Take(biases_name);
    if (!biases) {
      return Wrong(biases_name, "it is missing beside " + Quote(scales_name));
    }
    if (spec.columns % kAffineGroup != 0) {
      return Wrong(spec.name, "rows of " + std::to_string(spec.columns) +
                                  " cannot be quantised in groups of 64");
    }
    if (codes.dtype != "U32") {
      return Wrong(spec.name, "the dtype is " + codes.dtype + " but packed codes are U32");
    }
    const uint64_t codes_a_word = 32 / *quantized_bits_;
    const std::vector<uint64_t> groups = {spec.rows, spec.columns / kAffineGroup};
    DIKAST_CHECK_OK(CheckShape(spec.name, codes, {spec.rows, spec.columns / codes_a_word}));
    DIKAST_CHECK_OK(CheckShape(scales_name, scales, groups));
    DIKAST_CHECK_OK(CheckShape(biases_name, *biases, groups));
    DIKAST_TRY(const Storage scale_storage, CheckFloat(scales_name, scales));
    if (biases->dtype != scales.dtype) {
      return Wrong(biases_name,
                   "the dtype is " + biases->dtype + " but the scales are " + scales.dtype);
    }
    return StoredTensor{.storage = *quantized_bits_ == 8 ? Storage::kAffine8 : Storage::kAffine4,
                        .rows = spec.rows,
                        .columns = spec.columns,
                        .data = codes.bytes.data(),
                        .scales = scales.bytes.data(),
                        .biases = biases->bytes.data(),
                        .scale_storage = scale_storage,
                        .group = kAffineGroup};
  }

  const TensorMap& tensors_;
  std::optional<uint32_t> quantized_bits_;
  const std::string& file_;
  std::set<std::string_view> taken_;
};

}  // namespace

void AddDense(const std::string& name, uint64_t outputs, uint64_t inputs,
              std::vector<WeightSpec>& specs) {
  specs.push_back(Matrix(name + ".weight", outputs, inputs));
  specs.push_back(Vector(name + ".bias", outputs));
}

void AddLayerNorm(const std::string& name, uint64_t columns, std::vector<WeightSpec>& specs) {
  specs.push_back(Vector(name + ".weight", columns));
  specs.push_back(Vector(name + ".bias", columns));
}

std::vector<WeightSpec> DeclareWeights(const CheckpointConfig& config) {
  std::vector<WeightSpec> specs;
  if (const auto* bert = std::get_if<BertConfig>(&config.encoder)) {
    DeclareBert(*bert, specs);
  } else {
    DeclareModernBert(std::get<ModernBertConfig>(config.encoder), specs);
  }
  DeclareDecisionHead(config.laya, EncoderWidth(config.encoder), specs);
  return specs;
}

Result<StoredTensorMap> BindWeights(const TensorMap& tensors, const std::vector<WeightSpec>& specs,
                                    std::optional<uint32_t> quantized_bits,
                                    const std::string& file) {
  Binder binder(tensors, quantized_bits, file);
  StoredTensorMap bound;
  const WeightSpec* absent = nullptr;
  const WeightSpec* present = nullptr;  // of the optional ones
  for (const WeightSpec& spec : specs) {
    DIKAST_TRY(const std::optional<StoredTensor> tensor, binder.Bind(spec));
    if (!tensor && !spec.optional) return binder.Missing(spec);
    if (spec.optional) (tensor ? present : absent) = &spec;
    if (tensor) bound.emplace(spec.name, *tensor);
  }
  if (absent && present) return binder.Missing(*absent);
  DIKAST_CHECK_OK(binder.CheckAllTaken());
  return bound;
}

Result<Weights> Weights::Open(const std::filesystem::path& file, const CheckpointConfig& config) {
  DIKAST_TRY(SafeTensors opened, SafeTensors::Open(file));
  DIKAST_TRY(StoredTensorMap tensors, BindWeights(opened.tensors(), DeclareWeights(config),
                                                  config.laya.quantized_bits, file.string()));
  return Weights(std::move(opened), std::move(tensors));
}

const StoredTensor& Weights::operator[](std::string_view name) const {
  const auto at = tensors_.find(name);
  DIKAST_CHECK(at != tensors_.end());
  return at->second;
}

}  // namespace dikast
