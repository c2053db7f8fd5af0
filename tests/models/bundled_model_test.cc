// Each bundled model against its 60 rows from PyTorch in FP32: from token ids to probabilities.
#include <cmath>
#include <fstream>
#include <string>

#include "dikast/json.h"
#include "tests/models/model_runner.h"

namespace dikast::testing {
namespace {

constexpr double kLogitTolerance = 2e-3, kProbabilityTolerance = 1e-4;

struct Golden {
  std::string id;
  Sequence sequence;
  std::vector<double> logits, probabilities;
  double temperature = 1, act_probability = 0;
};

double Number(const JsonValue& value) { return std::stod(value.AsNumber()->spelling); }

template <class T>
std::vector<T> Numbers(const JsonValue& row, const char* key) {
  std::vector<T> numbers;
  for (const JsonValue& value : *row.Find(key)->AsArray()) {
    numbers.push_back(static_cast<T>(Number(value)));
  }
  return numbers;
}

uint8_t TypeOf(const std::string& name) { return name == "choice" ? 0 : name == "score" ? 1 : 2; }

struct Bundled {
  std::string folder, goldens;
};
const Bundled kMini = {"dikast-mini", "dikast_mini_goldens.jsonl"};
const Bundled kMiniV1 = {"dikast-mini-v1", "dikast_mini_v1_goldens.jsonl"};

std::vector<Golden> ReadGoldens(const Bundled& model) {
  std::ifstream file(DIKAST_TEST_DATA "/models/" + model.goldens);
  std::vector<Golden> goldens;
  for (std::string line; std::getline(file, line);) {
    const JsonValue row = ParseJson(line).value();
    goldens.push_back(
        {.id = *row.Find("id")->AsString(),
         .sequence = {Numbers<int32_t>(row, "input_ids"), Numbers<uint32_t>(row, "markers"),
                      TypeOf(*row.Find("question")->Find("type")->AsString())},
         .logits = Numbers<double>(row, "logits"),
         .probabilities = Numbers<double>(row, "probabilities"),
         .temperature = Number(*row.Find("temperature")),
         .act_probability = Number(*row.Find("act_probability"))});
  }
  return goldens;
}

// The fast tables run every row; the scalar oracle takes seconds a row, so it runs a few.
std::vector<Golden> GoldensFor(const Bundled& model, Isa isa) {
  std::vector<Golden> goldens = ReadGoldens(model);
  if (isa == Isa::kScalar) {
    std::sort(goldens.begin(), goldens.end(), [](const Golden& a, const Golden& b) {
      return a.sequence.ids.size() < b.sequence.ids.size();
    });
    goldens.resize(2);
  }
  return goldens;
}

ModelRunner Load(const Bundled& model, Isa isa, int threads) {
  const std::filesystem::path folder = DIKAST_SOURCE_DIR "/models/" + model.folder;
  return ModelRunner(LoadConfig(folder).value(), folder / "model.safetensors", isa, threads,
                     {.tokens = 8192, .sequences = 16, .markers = 512, .sequence_tokens = 512});
}

std::vector<double> Softmax(const std::vector<float>& logits, double temperature) {
  std::vector<double> p;
  double sum = 0;
  for (const float z : logits) sum += std::exp(z / temperature);
  for (const float z : logits) p.push_back(std::exp(z / temperature) / sum);
  return p;
}

double Farthest(const auto& expected, const auto& actual) {
  EXPECT_EQ(expected.size(), actual.size());
  double distance = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    distance = std::max(distance, std::abs(expected[i] - static_cast<double>(actual[i])));
  }
  return distance;
}

class BundledModel : public ::testing::TestWithParam<Bundled> {};
INSTANTIATE_TEST_SUITE_P(Models, BundledModel, ::testing::Values(kMini, kMiniV1),
                         [](const auto& info) { return info.index == 0 ? "Mini" : "MiniV1"; });

TEST_P(BundledModel, ReproducesItsGoldens) {
  ASSERT_EQ(ReadGoldens(GetParam()).size(), 60u);
  for (const Isa isa : AvailableIsaList()) {
    ModelRunner runner = Load(GetParam(), isa, 2);
    double logit_distance = 0, probability_distance = 0;
    const std::vector<Golden> goldens = GoldensFor(GetParam(), isa);
    for (const Golden& golden : goldens) {
      SCOPED_TRACE(std::string(IsaName(isa)) + " " + golden.id);
      const Output output = runner.Run({golden.sequence})[0];
      const double logits = Farthest(golden.logits, output.logits);
      const double probabilities =
          Farthest(golden.probabilities, Softmax(output.logits, golden.temperature));
      EXPECT_LE(logits, kLogitTolerance);
      EXPECT_LE(probabilities, kProbabilityTolerance);
      EXPECT_NEAR(Softmax(output.actions, 1)[0], golden.act_probability, kProbabilityTolerance);
      logit_distance = std::max(logit_distance, logits);
      probability_distance = std::max(probability_distance, probabilities);
    }
    std::printf("%s: %zu rows, logits within %.2g, probabilities within %.2g\n",
                std::string(IsaName(isa)).c_str(), goldens.size(), logit_distance,
                probability_distance);
  }
}

TEST_P(BundledModel, SameBitsInABatch) {
  for (const Isa isa : AvailableIsaList()) {
    SCOPED_TRACE(IsaName(isa));
    std::vector<Sequence> sequences;
    for (const Golden& golden : GoldensFor(GetParam(), isa)) {
      if (sequences.size() < 16) sequences.push_back(golden.sequence);
    }
    ModelRunner one = Load(GetParam(), isa, 1), two = Load(GetParam(), isa, 2);
    const std::vector<Output> batch = two.Run(sequences);
    for (size_t s = 0; s < sequences.size(); ++s) {
      EXPECT_TRUE(SameBits(batch[s], one.Run({sequences[s]})[0])) << "sequence " << s;
    }
  }
}

}  // namespace
}  // namespace dikast::testing
