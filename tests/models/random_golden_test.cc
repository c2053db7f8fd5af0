// Tiny random checkpoints against what transformers and the official decision head compute in FP32:
// verify/make_goldens.py writes both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "checkpoint/config.h"
#include "checkpoint/weights.h"
#include "dikast/json.h"
#include "kernels/ops.h"
#include "models/decision_model.h"

namespace dikast {
namespace {

constexpr float kStateTolerance = 2e-5f;  // of the layer's largest state
constexpr float kLogitTolerance = 2e-4f;  // a tenth of what full models are allowed

struct StateRow {
  size_t row;
  std::vector<float> values;
};

struct LayerStates {
  float largest;
  std::vector<StateRow> rows;
};

struct Golden {
  std::vector<int32_t> ids;
  std::vector<uint32_t> markers;
  uint8_t type;
  std::vector<float> logits, actions;
  std::vector<LayerStates> states;
};

double Number(const JsonValue& json) {
  const std::string& spelling = json.AsNumber()->spelling;
  double value = 0;
  std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
  return value;
}

template <class T>
std::vector<T> Numbers(const JsonValue& json) {
  std::vector<T> values;
  for (const JsonValue& value : *json.AsArray()) values.push_back(static_cast<T>(Number(value)));
  return values;
}

LayerStates ReadStates(const JsonValue& json) {
  LayerStates states{.largest = static_cast<float>(Number(*json.Find("largest"))), .rows = {}};
  for (const JsonValue& row : *json.Find("rows")->AsArray()) {
    states.rows.push_back({.row = static_cast<size_t>(Number(*row.Find("row"))),
                           .values = Numbers<float>(*row.Find("values"))});
  }
  return states;
}

std::vector<Golden> ReadGoldens(const std::filesystem::path& folder) {
  std::vector<Golden> goldens;
  std::ifstream file(folder / "expected.jsonl");
  for (std::string line; std::getline(file, line);) {
    const JsonValue json = ParseJson(line, JsonDialect::kStrict, {.values = SIZE_MAX}).value();
    goldens.push_back({.ids = Numbers<int32_t>(*json.Find("ids")),
                       .markers = Numbers<uint32_t>(*json.Find("markers")),
                       .type = static_cast<uint8_t>(Number(*json.Find("type"))),
                       .logits = Numbers<float>(*json.Find("logits")),
                       .actions = Numbers<float>(*json.Find("actions")),
                       .states = {}});
    for (const JsonValue& layer : *json.Find("states")->AsArray()) {
      goldens.back().states.push_back(ReadStates(layer));
    }
  }
  return goldens;
}

// Sequences side by side, as the model takes them.
struct Packed {
  explicit Packed(const std::vector<Golden>& goldens) {
    for (const Golden& golden : goldens) {
      for (const uint32_t marker : golden.markers) markers.push_back(offsets.back() + marker);
      ids.insert(ids.end(), golden.ids.begin(), golden.ids.end());
      offsets.push_back(static_cast<uint32_t>(ids.size()));
      marker_offsets.push_back(static_cast<uint32_t>(markers.size()));
      types.push_back(golden.type);
    }
  }
  SequenceBatch batch() const { return {ids, offsets, markers, marker_offsets, types}; }

  // Exactly what the batch needs, so that a buffer that is too small shows under a sanitizer.
  BatchLimits limits() const {
    BatchLimits limits{.tokens = offsets.back(),
                       .sequences = static_cast<uint32_t>(types.size()),
                       .markers = static_cast<uint32_t>(markers.size())};
    for (size_t s = 0; s < types.size(); ++s) {
      limits.sequence_tokens = std::max(limits.sequence_tokens, offsets[s + 1] - offsets[s]);
    }
    return limits;
  }

  std::vector<int32_t> ids;
  std::vector<uint32_t> offsets = {0}, markers, marker_offsets = {0};
  std::vector<uint8_t> types;
};

void ExpectNear(std::span<const float> found, const std::vector<float>& expected, float tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance) << "at " << i;
  }
}

void ExpectStates(const std::vector<std::vector<float>>& layers, size_t first_row, size_t width,
                  const Golden& golden) {
  ASSERT_EQ(layers.size(), golden.states.size());
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    SCOPED_TRACE("layer " + std::to_string(layer));
    for (const StateRow& row : golden.states[layer].rows) {
      const float* found = layers[layer].data() + (first_row + row.row) * width;
      ExpectNear({found, width}, row.values, kStateTolerance * golden.states[layer].largest);
    }
  }
}

void Check(DecisionModel& model, const std::vector<Golden>& goldens, size_t width) {
  const Packed packed(goldens);
  std::vector<float> logits(packed.markers.size()), actions(2 * goldens.size());
  std::vector<std::vector<float>> layers;
  model.set_observer([&](uint32_t layer, std::span<const float> rows) {
    ASSERT_EQ(layer, layers.size());
    layers.emplace_back(rows.begin(), rows.end());
  });
  model.Forward(packed.batch(), logits, actions);
  for (size_t s = 0; s < goldens.size(); ++s) {
    SCOPED_TRACE("sequence of " + std::to_string(goldens[s].ids.size()) + " tokens");
    const size_t begin = packed.marker_offsets[s], count = goldens[s].markers.size();
    ExpectNear(std::span(logits).subspan(begin, count), goldens[s].logits, kLogitTolerance);
    ExpectNear(std::span(actions).subspan(2 * s, 2), goldens[s].actions, kLogitTolerance);
    ExpectStates(layers, packed.offsets[s], width, goldens[s]);
  }
}

class RandomGolden : public testing::TestWithParam<const char*> {};

TEST_P(RandomGolden, MatchesTransformersOnEveryIsaAloneAndTogether) {
  const std::filesystem::path folder =
      std::filesystem::path(DIKAST_TEST_DATA) / "models" / GetParam();
  const std::vector<Golden> goldens = ReadGoldens(folder);
  ASSERT_EQ(goldens.size(), 6u);
  const auto config = LoadConfig(folder);
  ASSERT_TRUE(config) << config.error().message;
  const auto weights = Weights::Open(folder / "model.safetensors", *config);
  ASSERT_TRUE(weights) << weights.error().message;

  ThreadPool pool(2);
  for (const Isa isa : AvailableIsaList()) {
    SCOPED_TRACE(IsaName(isa));
    const auto check = [&](const std::vector<Golden>& sequences) {
      auto model =
          DecisionModel::Create(*config, *weights, *FindOps(isa), pool, Packed(sequences).limits());
      ASSERT_TRUE(model) << model.error().message;
      Check(*model, sequences, EncoderWidth(config->encoder));
    };
    check(goldens);
    for (const Golden& golden : goldens) check({golden});
  }
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, RandomGolden,
                         testing::Values("random-modernbert", "random-bert"), [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace dikast
