#include "decision/calibration.h"

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "base/quote.h"
#include "base/try.h"
#include "decision/python_text.h"
#include "decision/readout.h"

namespace dikast {
namespace {

tl::unexpected<Error> Wrong(const std::string& message) {
  return Fail(ErrorCode::kModel, message +
                                     "; fit it again with 'dikast calibrate', or answer with "
                                     "--calibration none");
}

Result<double> ReadTemperature(const JsonValue& value, const std::string& where) {
  const JsonNumber* number = value.AsNumber();
  if (number && std::isfinite(number->ToDouble()) && number->ToDouble() > 0) {
    return number->ToDouble();
  }
  return Wrong("'" + where + "' must be a number over 0, got " + Describe(value));
}

Result<void> CheckMembers(const JsonObject& members) {
  for (const JsonMember& member : members) {
    const std::string& key = member.key;
    if (key == "temperature" || key == "temperature_by_options" || key == "model_sha256" ||
        key.starts_with("x_")) {
      continue;
    }
    return Wrong("unknown member " + PythonRepr(key) +
                 "; there are temperature, temperature_by_options and model_sha256");
  }
  return {};
}

Result<void> CheckModel(const JsonValue* member, std::string_view model_sha256) {
  const std::string* found = member ? member->AsString() : nullptr;
  if (!found) {
    return Wrong(
        "'model_sha256' is missing, so nothing says that this was fitted for the model that is "
        "loaded");
  }
  if (*found == model_sha256) return {};
  return Wrong("this was fitted for the model with the SHA-256 " + PythonRepr(*found) +
               ", and the one that is loaded has " + std::string(model_sha256) +
               "; temperatures do not carry over");
}

}  // namespace

Result<Temperatures> ParseCalibration(std::string_view text, std::string_view model_sha256) {
  const Result<JsonValue> json = ParseJson(text);
  if (!json) return Wrong("this is no JSON: " + json.error().message);
  if (!json->AsObject()) return Wrong("an object is needed, got " + std::string(json->KindName()));
  DIKAST_CHECK_OK(CheckMembers(*json->AsObject()));
  DIKAST_CHECK_OK(CheckModel(json->Find("model_sha256"), model_sha256));

  Temperatures temperatures;
  const JsonValue* types = json->Find("temperature");
  if (!types || !types->AsArray() || types->AsArray()->size() != temperatures.by_type.size()) {
    return Wrong("'temperature' must be a list of 3 numbers (choice, score, noul), got " +
                 (!types             ? "nothing"
                  : types->AsArray() ? "one of " + std::to_string(types->AsArray()->size())
                                     : Describe(*types)));
  }
  for (size_t i = 0; i < temperatures.by_type.size(); ++i) {
    DIKAST_TRY(temperatures.by_type[i],
               ReadTemperature((*types->AsArray())[i], "temperature/" + std::to_string(i)));
  }
  const JsonValue* buckets = json->Find("temperature_by_options");
  if (!buckets) return temperatures;
  if (!buckets->AsObject()) {
    return Wrong("'temperature_by_options' must be an object, got " + Describe(*buckets));
  }
  for (const JsonMember& bucket : *buckets->AsObject()) {
    if (!IsBucket(bucket.key)) {
      return Wrong("'temperature_by_options': there is no bucket " + PythonRepr(bucket.key) +
                   "; an example is choice:3-5");
    }
    DIKAST_TRY(temperatures.by_bucket[bucket.key],
               ReadTemperature(bucket.value, "temperature_by_options/" + bucket.key));
  }
  return temperatures;
}

std::string FormatCalibration(const Temperatures& temperatures, std::string_view model_sha256,
                              std::string_view record) {
  JsonWriter json;
  json.BeginObject().Key("temperature").BeginArray();
  for (const double temperature : temperatures.by_type) json.Number(temperature);
  json.EndArray().Key("temperature_by_options").BeginObject();
  for (const auto& [bucket, temperature] : temperatures.by_bucket) {
    json.Key(bucket).Number(temperature);
  }
  json.EndObject().Key("model_sha256").String(model_sha256);
  return json.Key("x_fit").Raw(record).EndObject().Take() + "\n";
}

}  // namespace dikast
