// dikast-states: a developer's program that shows what a model computes, layer by layer, for
// comparison with another implementation. Built with the tests, not installed.
//
//   dikast-states FOLDER [--isa scalar|avx2|avx512] [--threads N] [--states FILE] < batches.jsonl
//
// FOLDER is a Laya checkpoint folder. Each line of standard input is one batch:
//   {"sequences": [[101, 7, ...], ...], "markers": [[3, 9], ...], "types": [0, ...]}
// with one list of token ids a sequence, the marker positions inside it (from 0) and its question
// type (0 choice, 1 score, 2 noul). "markers" and "types" may be left out: none, and 0.
//
// Each line of standard output answers one batch:
//   {"tokens": T, "width": W, "states": S, "logits": [[...], ...], "actions": [[...], ...]}
// --states FILE appends the hidden states of every batch to FILE as raw little-endian float32,
// S blocks of [T, W], the tokens of all sequences one after the other without padding: the
// embedding, then the residual stream after each layer; ModernBERT adds the final norm.
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/try.h"
#include "models/decision_model.h"

namespace dikast {
namespace {

struct Arguments {
  std::string folder, states;
  Isa isa = AvailableIsaList().front();
  int threads = 1;
};

// The numbers of one batch, owning what SequenceBatch views.
struct Batch {
  std::vector<int32_t> ids;
  std::vector<uint32_t> offsets = {0}, markers, marker_offsets = {0};
  std::vector<uint8_t> types;
  SequenceBatch view() const { return {ids, offsets, markers, marker_offsets, types}; }
};

Result<uint32_t> Integer(const JsonValue& value, uint32_t limit, std::string_view what) {
  uint32_t result = limit;
  if (const JsonNumber* number = value.AsNumber()) {
    std::from_chars(number->spelling.data(), number->spelling.data() + number->spelling.size(),
                    result);
  }
  if (result < limit) return result;
  return Fail(ErrorCode::kRequest, std::string(what) + " must be below " + std::to_string(limit));
}

Result<const JsonArray*> Array(const JsonValue* value, std::string_view what) {
  if (value && value->AsArray()) return value->AsArray();
  return Fail(ErrorCode::kRequest, std::string(what) + " must be an array");
}

Result<Batch> ParseBatch(const std::string& line, uint32_t vocabulary) {
  DIKAST_TRY(const JsonValue json, ParseJson(line, JsonDialect::kStrict, {.values = SIZE_MAX}));
  DIKAST_TRY(const JsonArray* sequences, Array(json.Find("sequences"), "sequences"));
  Batch batch;
  for (size_t s = 0; s < sequences->size(); ++s) {
    const uint32_t begin = batch.offsets.back();
    DIKAST_TRY(const JsonArray* ids, Array(&(*sequences)[s], "a sequence"));
    for (const JsonValue& id : *ids) {
      DIKAST_TRY(const uint32_t value, Integer(id, vocabulary, "a token id"));
      batch.ids.push_back(static_cast<int32_t>(value));
    }
    batch.offsets.push_back(static_cast<uint32_t>(batch.ids.size()));
    if (ids->empty()) return Fail(ErrorCode::kRequest, "a sequence must not be empty");
    if (const JsonValue* lists = json.Find("markers")) {
      DIKAST_TRY(const JsonArray* all, Array(lists, "markers"));
      if (all->size() != sequences->size()) {
        return Fail(ErrorCode::kRequest, "one list of markers a sequence is needed");
      }
      DIKAST_TRY(const JsonArray* markers, Array(&(*all)[s], "a list of markers"));
      for (const JsonValue& marker : *markers) {
        DIKAST_TRY(const uint32_t at,
                   Integer(marker, static_cast<uint32_t>(ids->size()), "a marker"));
        batch.markers.push_back(begin + at);
      }
    }
    batch.marker_offsets.push_back(static_cast<uint32_t>(batch.markers.size()));
    batch.types.push_back(0);
    if (const JsonValue* types = json.Find("types")) {
      DIKAST_TRY(const JsonArray* all, Array(types, "types"));
      if (s >= all->size()) return Fail(ErrorCode::kRequest, "one type a sequence is needed");
      DIKAST_TRY(const uint32_t type, Integer((*all)[s], 3, "a type"));
      batch.types.back() = static_cast<uint8_t>(type);
    }
  }
  return batch;
}

void WriteRows(std::string_view key, std::span<const float> values,
               const std::vector<uint32_t>& offsets, JsonWriter& writer) {
  writer.Key(key).BeginArray();
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    writer.BeginArray();
    for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i) writer.Number(values[i]);
    writer.EndArray();
  }
  writer.EndArray();
}

BatchLimits LimitsOf(const Batch& batch) {
  BatchLimits limits{.tokens = static_cast<uint32_t>(batch.ids.size()),
                     .sequences = static_cast<uint32_t>(batch.types.size()),
                     .markers = static_cast<uint32_t>(batch.markers.size())};
  for (size_t s = 0; s < batch.types.size(); ++s) {
    limits.sequence_tokens =
        std::max(limits.sequence_tokens, batch.offsets[s + 1] - batch.offsets[s]);
  }
  return limits;
}

BatchLimits Largest(const BatchLimits& a, const BatchLimits& b) {
  return {std::max(a.tokens, b.tokens), std::max(a.sequences, b.sequences),
          std::max(a.markers, b.markers), std::max(a.sequence_tokens, b.sequence_tokens)};
}

std::string Answer(const Batch& batch, uint32_t actions, uint32_t width, DecisionModel& model,
                   std::ofstream& states) {
  uint32_t observed = 0;
  model.set_observer([&](uint32_t, std::span<const float> rows) {
    ++observed;
    if (states.is_open()) {
      states.write(reinterpret_cast<const char*>(rows.data()),
                   static_cast<std::streamsize>(rows.size_bytes()));
    }
  });
  std::vector<float> logits(batch.markers.size()), action_logits(batch.types.size() * actions);
  model.Forward(batch.view(), logits, action_logits);
  std::vector<uint32_t> action_offsets = {0};
  for (size_t s = 0; s < batch.types.size(); ++s) {
    action_offsets.push_back(action_offsets.back() + actions);
  }
  JsonWriter writer;
  writer.BeginObject();
  writer.Key("tokens").Integer(static_cast<int64_t>(batch.ids.size()));
  writer.Key("width").Integer(width);
  writer.Key("states").Integer(observed);
  WriteRows("logits", logits, batch.marker_offsets, writer);
  WriteRows("actions", action_logits, action_offsets, writer);
  writer.EndObject();
  return writer.Take();
}

Result<void> Run(const Arguments& arguments) {
  const std::filesystem::path folder = arguments.folder;
  DIKAST_TRY(const CheckpointConfig config, LoadConfig(folder));
  DIKAST_TRY(const Weights weights, Weights::Open(folder / "model.safetensors", config));
  const uint32_t vocabulary =
      std::visit([](const auto& encoder) { return encoder.vocabulary; }, config.encoder);
  std::vector<Batch> batches;
  BatchLimits limits;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    DIKAST_TRY(Batch batch, ParseBatch(line, vocabulary));
    limits = Largest(limits, LimitsOf(batch));
    batches.push_back(std::move(batch));
  }
  ThreadPool pool(arguments.threads);
  const Ops* ops = FindOps(arguments.isa);
  if (!ops) return Fail(ErrorCode::kUsage, "this machine lacks that ISA");
  DIKAST_TRY(DecisionModel model, DecisionModel::Create(config, weights, *ops, pool, limits));
  std::ofstream states;
  if (!arguments.states.empty()) states.open(arguments.states, std::ios::binary | std::ios::app);
  for (const Batch& batch : batches) {
    std::cout << Answer(batch, config.laya.actions, EncoderWidth(config.encoder), model, states)
              << '\n';
  }
  return {};
}

Result<Arguments> ParseArguments(std::span<char*> words) {
  const auto usage = Fail(ErrorCode::kUsage,
                          "usage: dikast-states FOLDER [--isa NAME] [--threads N] [--states FILE]");
  if (words.size() < 2 || words.size() % 2 != 0) return usage;
  Arguments arguments{.folder = words[1], .states = {}};
  for (size_t i = 2; i < words.size(); i += 2) {
    const std::string_view option = words[i], value = words[i + 1];
    if (option == "--states") {
      arguments.states = value;
    } else if (option == "--threads") {
      arguments.threads = std::max(1, std::atoi(words[i + 1]));
    } else if (option == "--isa" && IsaFromName(value)) {
      arguments.isa = *IsaFromName(value);
    } else {
      return usage;
    }
  }
  return arguments;
}

}  // namespace
}  // namespace dikast

int main(int argc, char** argv) {
  const auto arguments = dikast::ParseArguments({argv, static_cast<size_t>(argc)});
  const auto done = arguments ? dikast::Run(*arguments) : tl::unexpected(arguments.error());
  if (done) return 0;
  std::fprintf(stderr, "dikast-states: %s: %s\n", done.error().path.c_str(),
               done.error().message.c_str());
  return 1;
}
