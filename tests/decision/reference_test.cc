// What the official laya package made of random requests, recorded by verify/decision/record.py.
// $DIKAST_REFERENCE_ROWS names another file of such rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/json_writer.h"
#include "decision/readout.h"
#include "dikast/format.h"
#include "tests/decision/tokenizers.h"
#include "tests/decision/words.h"

namespace dikast {
namespace {

std::string RecordedRows() {
  const char* file = std::getenv("DIKAST_REFERENCE_ROWS");
  if (!file) return ReadTestFile("reference.jsonl");
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

SequenceRules RulesOf(const JsonValue& row) {
  SequenceRules rules = TokenizerRules(*row.Find("tokenizer")->AsString());
  rules.max_len = static_cast<uint32_t>(*row.Find("max_len")->AsNumber()->ToInteger());
  rules.head_max_len = static_cast<uint32_t>(*row.Find("head_max_len")->AsNumber()->ToInteger());
  return rules;
}

Temperatures TemperaturesOf(const JsonValue& row) {
  Temperatures temperatures;
  const auto by_type = Numbers<double>(*row.Find("temperature"));
  std::copy(by_type.begin(), by_type.end(), temperatures.by_type.begin());
  for (const JsonMember& bucket : *row.Find("buckets")->AsObject()) {
    temperatures.by_bucket[bucket.key] = bucket.value.AsNumber()->ToDouble();
  }
  return temperatures;
}

// Equal, members in the same order; numbers within 1.01e-4, since the reference rounds float32
// values to four decimals and a last digit may turn.
bool Same(const JsonValue& a, const JsonValue& b) {
  if (a.value.index() != b.value.index()) return false;
  if (const JsonNumber* number = a.AsNumber()) {
    const JsonNumber& other = *b.AsNumber();
    if (number->spelling == other.spelling) return true;
    return std::abs(number->ToDouble() - other.ToDouble()) < 1.01e-4;
  }
  if (const JsonArray* array = a.AsArray()) {
    return std::equal(array->begin(), array->end(), b.AsArray()->begin(), b.AsArray()->end(), Same);
  }
  if (const JsonObject* object = a.AsObject()) {
    return std::equal(object->begin(), object->end(), b.AsObject()->begin(), b.AsObject()->end(),
                      [](const JsonMember& x, const JsonMember& y) {
                        return x.key == y.key && Same(x.value, y.value);
                      });
  }
  return JsonWriter().Value(a).Take() == JsonWriter().Value(b).Take();
}

// The reference feeds window by window, question by question; a plan is question by question.
size_t FedRow(size_t question, size_t window, size_t questions) {
  return window * questions + question;
}

void CompareRow(const JsonValue& row) {
  const std::string& name = *row.Find("tokenizer")->AsString();
  const DecideOptions options = {
      .over_length = *row.Find("window")->AsBool() ? OverLength::kWindow : OverLength::kReject,
      .options = OptionsMode::kFit,
      .reference = true};
  const JsonValue* refused = row.Find("error");
  const auto request = ParseRequest(*row.Find("body")->AsString(), options);
  if (!request) {
    EXPECT_TRUE(refused) << "refused by dikast only: " << request.error().message;
    return;
  }
  // Without a question the reference still counts the windows of the state; dikast says one.
  if (request->questions.empty() && options.over_length == OverLength::kWindow) return;
  const auto plans = PlanRequest(*request, options, *FindTokenizer(name), RulesOf(row));
  if (!plans) {
    EXPECT_TRUE(refused) << "refused by dikast only: " << plans.error().message;
    return;
  }
  ASSERT_FALSE(refused) << "refused by the reference only: " << *refused->AsString();

  const JsonArray& fed = *row.Find("sequences")->AsArray();
  Response response;
  for (size_t q = 0; q < plans->size(); ++q) {
    std::vector<std::vector<float>> logits, actions;
    for (size_t w = 0; w < (*plans)[q].sequences.size(); ++w) {
      ASSERT_LT(FedRow(q, w, plans->size()), fed.size());
      const JsonValue& sequence = fed[FedRow(q, w, plans->size())];
      EXPECT_EQ((*plans)[q].sequences[w].ids, Numbers<int32_t>(*sequence.Find("ids")));
      EXPECT_EQ((*plans)[q].sequences[w].markers, Numbers<uint32_t>(*sequence.Find("markers")));
      logits.push_back(Numbers<float>(*sequence.Find("logits")));
      actions.push_back(Numbers<float>(*sequence.Find("actions")));
    }
    std::vector<SequenceOutput> outputs;
    for (size_t w = 0; w < logits.size(); ++w) outputs.push_back({logits[w], actions[w]});
    const auto answer = ReadOut(request->questions[q], (*plans)[q], outputs, TemperaturesOf(row));
    ASSERT_TRUE(answer) << answer.error().message;
    response.answers.push_back(*answer);
  }
  response.usage = CountUsage(*request, *plans, options);
  response.plans = *plans;
  const std::string found = FormatLaya(*request, response);
  const JsonValue& expected = *row.Find("result");
  EXPECT_TRUE(Same(expected, ParseJson(found, JsonDialect::kReference).value()))
      << "expected " << JsonWriter().Value(expected).Take() << "\nfound    " << found;
}

TEST(Reference, DoesAsTheOfficialPackage) {
  size_t compared = 0, skipped = 0;
  for (const std::string& line : Lines(RecordedRows())) {
    const auto row = ParseJson(line, JsonDialect::kReference);
    ASSERT_TRUE(row) << row.error().message;
    if (!FindTokenizer(*row->Find("tokenizer")->AsString())) {
      ++skipped;
      continue;
    }
    SCOPED_TRACE("seed " + row->Find("seed")->AsNumber()->spelling + ": " +
                 *row->Find("body")->AsString());
    CompareRow(*row);
    ++compared;
    if (::testing::Test::HasFailure()) break;
  }
  std::cout << compared << " recorded requests compared, " << skipped
            << " skipped for want of their tokenizer\n";
  EXPECT_GT(compared, 0u);
}

}  // namespace
}  // namespace dikast
