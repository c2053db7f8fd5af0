#include "tests/models/random_checkpoint.h"

#include <unistd.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <fstream>
#include <random>

#include "base/json_writer.h"

namespace dikast::testing {
namespace {

// Tensors in the order of their bytes.
class Writer {
 public:
  template <class T>
  void Add(const std::string& name, std::string_view dtype, const std::vector<uint64_t>& shape,
           const std::vector<T>& values) {
    header_.Key(name).BeginObject().Key("dtype").String(dtype).Key("shape").BeginArray();
    for (const uint64_t size : shape) header_.Integer(static_cast<int64_t>(size));
    header_.EndArray().Key("data_offsets").BeginArray();
    header_.Integer(static_cast<int64_t>(data_.size()));
    data_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    header_.Integer(static_cast<int64_t>(data_.size())).EndArray().EndObject();
  }

  void Write(const std::filesystem::path& file) {
    const std::string header = header_.EndObject().Take();
    const uint64_t length = header.size();
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&length), sizeof(length));
    out << header << data_;
  }

  Writer() { header_.BeginObject(); }

 private:
  JsonWriter header_;
  std::string data_;
};

// Keeps every layer's output near unit size, so that errors show.
float Spread(const WeightSpec& spec) {
  if (spec.name.find("emb") != std::string::npos) return 1;
  return spec.matrix() ? 1.2f / std::sqrt(static_cast<float>(spec.columns)) : 0.1f;
}

std::vector<float> RandomFloats(const WeightSpec& spec, std::mt19937& random) {
  const bool norm = !spec.matrix() && spec.name.ends_with("weight");
  std::normal_distribution<float> normal(norm ? 1 : 0, Spread(spec));
  std::vector<float> values(std::max<uint64_t>(1, spec.rows) * spec.columns);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<uint64_t> Shape(const WeightSpec& spec) {
  return spec.matrix() ? std::vector<uint64_t>{spec.rows, spec.columns}
                       : std::vector<uint64_t>{spec.columns};
}

std::vector<double> AddFloats(const WeightSpec& spec, std::mt19937& random, Writer& writer) {
  const std::vector<float> values = RandomFloats(spec, random);
  writer.Add(spec.name, "F32", Shape(spec), values);
  return {values.begin(), values.end()};
}

std::vector<double> AddBF16(const WeightSpec& spec, std::mt19937& random, Writer& writer) {
  std::vector<uint16_t> stored;
  std::vector<double> expanded;
  for (const float value : RandomFloats(spec, random)) {
    stored.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
    expanded.push_back(std::bit_cast<float>(uint32_t{stored.back()} << 16));
  }
  writer.Add(spec.name, "BF16", Shape(spec), stored);
  return expanded;
}

// Random codes; scales of both signs, as the format has them.
std::vector<double> AddAffine(const WeightSpec& spec, int bits, std::mt19937& random,
                              Writer& writer) {
  const uint64_t codes_a_word = 32 / bits, groups = spec.columns / 64;
  const int largest = (1 << bits) - 1;
  std::vector<uint32_t> words(spec.rows * spec.columns / codes_a_word);
  std::vector<float> scales, biases;
  std::vector<double> expanded;
  for (uint64_t group = 0; group < spec.rows * groups; ++group) {
    scales.push_back((random() & 1 ? -3.5f : 3.5f) * Spread(spec) / static_cast<float>(largest));
    biases.push_back(-scales.back() * static_cast<float>(largest) / 2);
    for (uint64_t i = group * 64; i < (group + 1) * 64; ++i) {
      const uint32_t code = random() & static_cast<uint32_t>(largest);
      words[i / codes_a_word] |= code << (i % codes_a_word * bits);
      const float scaled = scales.back() * static_cast<float>(code);
      expanded.push_back(scaled + biases.back());
    }
  }
  const std::string name = spec.name.substr(0, spec.name.rfind('.'));
  writer.Add(spec.name, "U32", {spec.rows, spec.columns / codes_a_word}, words);
  writer.Add(name + ".scales", "F32", {spec.rows, groups}, scales);
  writer.Add(name + ".biases", "F32", {spec.rows, groups}, biases);
  return expanded;
}

std::vector<double> AddRandom(const WeightSpec& spec, Storage matrices, std::mt19937& random,
                              Writer& writer) {
  const bool affine = matrices == Storage::kAffine8 || matrices == Storage::kAffine4;
  if (affine && spec.matrix() && spec.columns % 64 == 0 && spec.name.ends_with(".weight")) {
    return AddAffine(spec, matrices == Storage::kAffine8 ? 8 : 4, random, writer);
  }
  if (matrices == Storage::kBF16 && spec.matrix()) return AddBF16(spec, random, writer);
  return AddFloats(spec, random, writer);
}

std::filesystem::path FreshFile() {
  static std::atomic<int> count = 0;
  return std::filesystem::temp_directory_path() /
         ("dikast-random-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
}

CheckpointConfig WithHead(EncoderConfig encoder, uint32_t head_layers) {
  CheckpointConfig config;
  config.encoder = std::move(encoder);
  config.laya.head_layers = head_layers;
  config.laya.actions = 2;
  return config;
}

}  // namespace

RandomCheckpoint::RandomCheckpoint(const CheckpointConfig& config, uint32_t seed, Storage matrices)
    : config_(config), file_(FreshFile()) {
  if (matrices == Storage::kAffine8) config_.laya.quantized_bits = 8;
  if (matrices == Storage::kAffine4) config_.laya.quantized_bits = 4;
  std::mt19937 random(seed);
  Writer writer;
  for (const WeightSpec& spec : DeclareWeights(config_)) {
    if (!spec.optional) values_[spec.name] = AddRandom(spec, matrices, random, writer);
  }
  writer.Write(file_);
}

RandomCheckpoint::~RandomCheckpoint() { std::filesystem::remove(file_); }

CheckpointConfig SmallModernBert(uint32_t head_layers) {
  return WithHead(ModernBertConfig{.vocabulary = 211,
                                   .width = 128,
                                   .intermediate = 192,
                                   .layers = 3,
                                   .heads = 2,
                                   .max_positions = 1024,
                                   .half_window = 64,
                                   .global = {true, false, true}},
                  head_layers);
}

CheckpointConfig SmallBert(uint32_t head_layers) {
  return WithHead(BertConfig{.vocabulary = 211,
                             .width = 128,
                             .intermediate = 320,
                             .layers = 2,
                             .heads = 4,
                             .max_positions = 512,
                             .token_types = 2},
                  head_layers);
}

}  // namespace dikast::testing
