#include "checkpoint/weights.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dikast {
namespace {

using ::testing::HasSubstr;

constexpr std::byte kBytes[64] = {};

SafeTensor Tensor(std::string dtype, std::vector<uint64_t> shape) {
  SafeTensor tensor;
  tensor.dtype = std::move(dtype);
  tensor.shape = std::move(shape);
  tensor.bytes = kBytes;
  return tensor;
}

CheckpointConfig SmallBert() {
  CheckpointConfig config;
  config.encoder = BertConfig{.vocabulary = 10,
                              .width = 64,
                              .intermediate = 128,
                              .layers = 1,
                              .heads = 2,
                              .max_positions = 20,
                              .token_types = 2};
  config.laya.head_layers = 1;
  config.laya.actions = 2;
  return config;
}

// Every declared tensor as F16, the optional ones left out.
TensorMap FullSet(const CheckpointConfig& config) {
  TensorMap tensors;
  for (const WeightSpec& spec : DeclareWeights(config)) {
    if (spec.optional) continue;
    tensors[spec.name] =
        spec.matrix() ? Tensor("F16", {spec.rows, spec.columns}) : Tensor("F16", {spec.columns});
  }
  return tensors;
}

void Quantize(const std::string& name, uint64_t rows, uint64_t columns, int bits,
              TensorMap& tensors) {
  tensors[name + ".weight"] = Tensor("U32", {rows, columns * bits / 32});
  tensors[name + ".scales"] = Tensor("F16", {rows, columns / 64});
  tensors[name + ".biases"] = Tensor("F16", {rows, columns / 64});
}

Result<StoredTensorMap> Bind(const TensorMap& tensors, std::optional<uint32_t> bits = {}) {
  return BindWeights(tensors, DeclareWeights(SmallBert()), bits, "m.safetensors");
}

TEST(DeclareWeights, CountsOfTheKnownModels) {
  CheckpointConfig config;
  ModernBertConfig large{.vocabulary = 50368, .width = 1024, .intermediate = 2624, .layers = 28};
  config.encoder = large;
  config.laya.head_layers = 2;
  config.laya.actions = 2;
  const auto count = [&] {
    uint64_t parameters = 0;
    for (const WeightSpec& spec : DeclareWeights(config)) {
      if (spec.name == "temperature") continue;  // a buffer, which the published counts leave out
      parameters += std::max<uint64_t>(1, spec.rows) * spec.columns;
    }
    return std::pair(DeclareWeights(config).size(), parameters);
  };
  // Published: 206 tensors, 421,293,827 numbers; 170 and 321,908,995 for the multilingual model.
  EXPECT_EQ(count(), (std::pair<size_t, uint64_t>(206, 421'293'827)));
  config.encoder =
      ModernBertConfig{.vocabulary = 256000, .width = 768, .intermediate = 1152, .layers = 22};
  EXPECT_EQ(count(), (std::pair<size_t, uint64_t>(170, 321'908'995)));
}

TEST(BindWeights, FloatTypesMayBeMixed) {
  TensorMap tensors = FullSet(SmallBert());
  tensors.at("scorer.1.weight").dtype = "F32";
  tensors.at("type_emb.weight").dtype = "BF16";
  const auto bound = Bind(tensors);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->at("scorer.1.weight").storage, Storage::kF32);
  EXPECT_EQ(bound->at("type_emb.weight").storage, Storage::kBF16);
  const StoredTensor& bias = bound->at("scorer.1.bias");
  EXPECT_EQ(bias.storage, Storage::kF16);
  EXPECT_EQ(bias.rows, 1u);
  EXPECT_EQ(bias.columns, 64u);
}

TEST(BindWeights, AffineMatrices) {
  for (const int bits : {8, 4}) {
    TensorMap tensors = FullSet(SmallBert());
    Quantize("head.layers.0.linear1", 256, 64, bits, tensors);
    tensors.at("head.layers.0.linear1.scales").dtype = "BF16";
    tensors.at("head.layers.0.linear1.biases").dtype = "BF16";
    const auto bound = Bind(tensors, bits);
    ASSERT_TRUE(bound) << bound.error().message;
    const StoredTensor& matrix = bound->at("head.layers.0.linear1.weight");
    EXPECT_EQ(matrix.storage, bits == 8 ? Storage::kAffine8 : Storage::kAffine4);
    EXPECT_EQ(matrix.rows, 256u);
    EXPECT_EQ(matrix.columns, 64u);
    EXPECT_EQ(matrix.scale_storage, Storage::kBF16);
    EXPECT_EQ(bound->at("head.layers.0.linear2.weight").storage, Storage::kF16);
  }
}

TEST(BindWeights, PoolerIsOptionalAsAPair) {
  TensorMap tensors = FullSet(SmallBert());
  tensors["encoder.pooler.dense.weight"] = Tensor("F16", {64, 64});
  const auto half = Bind(tensors);
  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().message, HasSubstr("\"encoder.pooler.dense.bias\": it is missing"));
  tensors["encoder.pooler.dense.bias"] = Tensor("F16", {64});
  EXPECT_TRUE(Bind(tensors));
  tensors.erase("encoder.pooler.dense.weight");
  EXPECT_FALSE(Bind(tensors));
}

struct Fault {
  const char* name;
  void (*damage)(TensorMap&);
  std::vector<const char*> message;
  std::optional<uint32_t> bits = std::nullopt;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

const Fault kFaults[] = {
    {"Missing",
     [](TensorMap& t) { t.erase("scorer.3.bias"); },
     {"\"scorer.3.bias\"", "missing", "[1]"}},
    {"MissingTemperature", [](TensorMap& t) { t.erase("temperature"); }, {"\"temperature\""}},
    {"Extra",
     [](TensorMap& t) { t["head.layers.1.norm1.bias"] = Tensor("F16", {64}); },
     {"\"head.layers.1.norm1.bias\"", "declares no such tensor"}},
    {"TwoExtra",
     [](TensorMap& t) {
       t["x"] = Tensor("F16", {1});
       t["y"] = Tensor("F16", {1});
     },
     {"\"x\"", "nor 1 others"}},
    {"OldNormName",
     [](TensorMap& t) {
       t["encoder.embeddings.LayerNorm.gamma"] = t["encoder.embeddings.LayerNorm.weight"];
       t.erase("encoder.embeddings.LayerNorm.weight");
     },
     {"LayerNorm.weight\"", "rename gamma to weight"}},
    {"PositionIds",
     [](TensorMap& t) {
       t["encoder.embeddings.position_ids"] = Tensor("I64", {1, 20});
     },
     {"position_ids\"", "drop it"}},
    {"WrongShape",
     [](TensorMap& t) {
       t["type_emb.weight"].shape = {3, 65};
     },
     {"\"type_emb.weight\"", "[3, 65]", "[3, 64]"}},
    {"Transposed",
     [](TensorMap& t) {
       t["head.layers.0.linear1.weight"].shape = {64, 256};
     },
     {"[64, 256]", "[256, 64]"}},
    {"VectorAsMatrix",
     [](TensorMap& t) {
       t["scorer.1.bias"].shape = {1, 64};
     },
     {"\"scorer.1.bias\"", "[1, 64]", "[64]"}},
    {"WrongDtype",
     [](TensorMap& t) { t["scorer.1.weight"].dtype = "F64"; },
     {"\"scorer.1.weight\"", "F64", "BF16"}},
    {"CodesWithoutScales",
     [](TensorMap& t) { t["scorer.1.weight"].dtype = "U32"; },
     {"\"scorer.1.weight\"", "packed codes", "\"scorer.1.scales\" is missing"},
     8},
    {"NoBiases",
     [](TensorMap& t) {
       Quantize("scorer.1", 64, 64, 8, t);
       t.erase("scorer.1.biases");
     },
     {"\"scorer.1.biases\"", "missing"},
     8},
    {"NoQuantizationKey",
     [](TensorMap& t) { Quantize("scorer.1", 64, 64, 8, t); },
     {"\"scorer.1.scales\"", "\"quantization\""}},
    {"OtherBits",
     [](TensorMap& t) { Quantize("scorer.1", 64, 64, 4, t); },
     {"\"scorer.1.weight\"", "[64, 8]", "[64, 16]"},
     8},
    {"CodesOfFloats",
     [](TensorMap& t) {
       Quantize("scorer.1", 64, 64, 8, t);
       t["scorer.1.weight"].dtype = "F16";
     },
     {"\"scorer.1.weight\"", "F16", "U32"},
     8},
    {"FewScales",
     [](TensorMap& t) {
       Quantize("scorer.1", 64, 64, 8, t);
       t["scorer.1.scales"].shape = {63, 1};
     },
     {"\"scorer.1.scales\"", "[63, 1]", "[64, 1]"},
     8},
    {"ManyBiases",
     [](TensorMap& t) {
       Quantize("scorer.1", 64, 64, 8, t);
       t["scorer.1.biases"].shape = {64, 2};
     },
     {"\"scorer.1.biases\"", "[64, 2]", "[64, 1]"},
     8},
    {"ScalesOfIntegers",
     [](TensorMap& t) {
       Quantize("scorer.1", 64, 64, 8, t);
       t["scorer.1.scales"].dtype = "I16";
     },
     {"\"scorer.1.scales\"", "I16"},
     8},
    {"ScalesAndBiasesDiffer",
     [](TensorMap& t) {
       Quantize("scorer.1", 64, 64, 8, t);
       t["scorer.1.biases"].dtype = "BF16";
     },
     {"\"scorer.1.biases\"", "BF16", "F16"},
     8},
    {"RowsOfPartGroups",
     [](TensorMap& t) {
       t["act_head.0.weight"] = Tensor("U32", {256, 17});
       t["act_head.0.scales"] = t["act_head.0.biases"] = Tensor("F16", {256, 1});
     },
     {"\"act_head.0.weight\"", "68", "groups of 64"},
     8},
    {"ScalesOfAVector",
     [](TensorMap& t) { t["scorer.0.scales"] = Tensor("F16", {64}); },
     {"\"scorer.0.scales\"", "declares no such tensor"},
     8},
};

class Faulty : public ::testing::TestWithParam<Fault> {};
INSTANTIATE_TEST_SUITE_P(BindWeights, Faulty, ::testing::ValuesIn(kFaults),
                         [](const auto& info) { return info.param.name; });

TEST_P(Faulty, IsRefusedByName) {
  TensorMap tensors = FullSet(SmallBert());
  ASSERT_TRUE(Bind(tensors));
  GetParam().damage(tensors);
  const auto bound = Bind(tensors, GetParam().bits);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code, ErrorCode::kModel);
  EXPECT_EQ(bound.error().path, "m.safetensors");
  for (const char* part : GetParam().message) EXPECT_THAT(bound.error().message, HasSubstr(part));
}

TEST(Weights, OpensTheBundledModel) {
  const std::filesystem::path folder = DIKAST_SOURCE_DIR "/models/dikast-mini-v1";
  const auto weights = Weights::Open(folder / "model.safetensors", LoadConfig(folder).value());
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->file_bytes(), std::filesystem::file_size(folder / "model.safetensors"));
  EXPECT_EQ((*weights)["encoder.embeddings.word_embeddings.weight"].storage, Storage::kAffine8);
  EXPECT_EQ((*weights)["encoder.embeddings.position_embeddings.weight"].storage, Storage::kF16);
  EXPECT_FALSE(weights->all().contains("encoder.pooler.dense.weight"));
}

}  // namespace
}  // namespace dikast
