#include "cli/eval_report.h"

#include <algorithm>
#include <cstdio>

#include "base/json_writer.h"
#include "cli/terminal.h"
#include "dikast/engine.h"

namespace dikast::cli {
namespace {

constexpr size_t kNameColumns = 22, kMostRefusals = 10;

template <class... Values>
std::string Text(const char* format, Values... values) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

unsigned long long Count(uint64_t value) { return value; }

std::string Percent(double share) { return Text("%6.1f %%", 100 * share); }

// How many times the floor; a floor of nothing has no ratio.
std::string Ratio(const CalibrationError& error) {
  return error.floor > 0 ? Text("%5.1f", error.ece / error.floor) : "    -";
}

std::string QualityLine(const std::string& name, const Figures& figures, bool utf8) {
  const CalibrationError& calibration = figures.calibration;
  return FitTo(Printable(name), kNameColumns, utf8) + Text("%7llu", Count(figures.rows)) +
         Percent(figures.accuracy) +
         Text("  %5.1f-%-5.1f%7.3f%7.3f  %6.2f%7.2f%7.2f", 100 * figures.accuracy_low,
              100 * figures.accuracy_high, figures.nll, figures.brier, 100 * calibration.ece,
              100 * calibration.floor, 100 * calibration.floor_95) +
         "  " + Ratio(calibration) + "\n";
}

std::string QualityTable(const Evaluation& evaluation, bool utf8) {
  std::string table = FitTo("", kNameColumns, utf8) +
                      "   rows    right         95 %    NLL  Brier   ECE %  floor   95 %  ratio\n";
  table += QualityLine("all", evaluation.all, utf8);
  for (const auto& [name, figures] : evaluation.types) {
    table += QualityLine("  " + name, figures, utf8);
  }
  return table;
}

std::string SelectiveTable(const Evaluation& evaluation, bool utf8) {
  std::string table = FitTo("Most confident kept", kNameColumns, utf8) +
                      "    80 %      90 %      95 %    AURC   kept at 5 % wrong\n";
  const auto line = [&](const std::string& name, const SelectiveFigures& figures) {
    table += FitTo(name, kNameColumns, utf8) + Percent(figures.accuracy_at_80) + "  " +
             Percent(figures.accuracy_at_90) + "  " + Percent(figures.accuracy_at_95) +
             Text("  %6.3f  ", figures.aurc) + Percent(figures.coverage_at_5) + "\n";
  };
  line("all", evaluation.all.selective);
  for (const auto& [name, figures] : evaluation.types) line("  " + name, figures.selective);
  return table;
}

std::string SourceTable(const Evaluation& evaluation, bool utf8) {
  std::vector<std::pair<std::string, const Figures*>> sources;
  for (const auto& [name, figures] : evaluation.sources) sources.emplace_back(name, &figures);
  std::stable_sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) {
    return a.second->accuracy < b.second->accuracy;
  });
  std::string table = "Sources, the weakest first; mean of their accuracies" +
                      Percent(evaluation.mean_of_sources()) + "\n";
  for (const auto& [name, figures] : sources) table += QualityLine(name, *figures, utf8);
  return table;
}

std::string OrdinalLine(const OrdinalFigures& figures) {
  return Text("Scores: off by %.2f levels on average, RPS %.3f", figures.mae, figures.rps) +
         (figures.qwk ? Text(", weighted kappa %.3f", *figures.qwk) : "") +
         Text(" (%llu rows)\n", Count(figures.rows));
}

std::string OrderLine(const OrderEffect& effect) {
  const double rate = effect.rows == 0 ? 0 : static_cast<double>(effect.flips) / effect.rows;
  return Text(
      "Options in reverse: %llu of %llu choices change (%.1f %%); probabilities by up to %.2f, "
      "%.3f on average\n",
      Count(effect.flips), Count(effect.rows), 100 * rate, effect.largest_change,
      effect.mean_distance);
}

std::string RefusedLines(const Evaluation& evaluation) {
  const size_t count = evaluation.refused.size();
  std::string text =
      Text("Refused: %llu of %llu rows; counted as wrong, %.1f %% of all are right\n", Count(count),
           Count(evaluation.rows), 100 * evaluation.accuracy_of_all_rows());
  for (size_t i = 0; i < std::min(count, kMostRefusals); ++i) {
    const Evaluation::RefusedRow& row = evaluation.refused[i];
    text += "  line " + std::to_string(row.line) +
            (row.id.empty() ? "" : " (" + Printable(row.id) + ")") + ": " + Printable(row.message) +
            "\n";
  }
  if (count > kMostRefusals) text += "  ... and more; --json lists them all\n";
  return text;
}

std::string Heading(const Evaluation& evaluation) {
  return Printable(evaluation.model) + ", temperatures " +
         (evaluation.calibration.empty() ? "of the checkpoint"
                                         : "from " + Printable(evaluation.calibration)) +
         (evaluation.orders > 1 ? ", " + std::to_string(evaluation.orders) + " orders" : "") +
         "\n" + Printable(evaluation.data) + ": " + std::to_string(evaluation.rows) + " rows\n";
}

void WriteBins(const CalibrationError& error, JsonWriter& json) {
  json.Key("bins").BeginArray();
  for (const ReliabilityBin& bin : error.bins) {
    json.BeginObject().Key("rows").Integer(static_cast<int64_t>(bin.rows));
    json.Key("confidence").Number(bin.confidence).Key("accuracy").Number(bin.accuracy).EndObject();
  }
  json.EndArray();
}

void WriteFigures(const Figures& figures, JsonWriter& json) {
  const auto count = [&](const char* key, uint64_t value) {
    json.Key(key).Integer(static_cast<int64_t>(value));
  };
  json.BeginObject();
  count("rows", figures.rows);
  count("right", figures.right);
  json.Key("accuracy").Number(figures.accuracy).Key("accuracy_95").BeginArray();
  json.Number(figures.accuracy_low).Number(figures.accuracy_high).EndArray();
  json.Key("nll").Number(figures.nll);
  count("nll_zeros", figures.zeros);
  json.Key("brier").Number(figures.brier).Key("ece").Number(figures.calibration.ece);
  json.Key("ece_floor").Number(figures.calibration.floor);
  json.Key("ece_floor_95").Number(figures.calibration.floor_95);
  json.Key("accuracy_at_80").Number(figures.selective.accuracy_at_80);
  json.Key("accuracy_at_90").Number(figures.selective.accuracy_at_90);
  json.Key("accuracy_at_95").Number(figures.selective.accuracy_at_95);
  json.Key("coverage_at_5").Number(figures.selective.coverage_at_5);
  json.Key("aurc").Number(figures.selective.aurc);
  if (figures.ordinal) {
    json.Key("score").BeginObject();
    count("rows", figures.ordinal->rows);
    json.Key("mae").Number(figures.ordinal->mae).Key("rps").Number(figures.ordinal->rps);
    if (figures.ordinal->qwk) json.Key("qwk").Number(*figures.ordinal->qwk);
    json.EndObject();
  }
  WriteBins(figures.calibration, json);
  json.EndObject();
}

void WriteGroups(const char* key, const std::map<std::string, Figures>& groups, JsonWriter& json) {
  json.Key(key).BeginObject();
  for (const auto& [name, figures] : groups) {
    json.Key(name);
    WriteFigures(figures, json);
  }
  json.EndObject();
}

void WriteRefused(const Evaluation& evaluation, JsonWriter& json) {
  json.Key("refused").BeginArray();
  for (const Evaluation::RefusedRow& row : evaluation.refused) {
    json.BeginObject().Key("line").Integer(static_cast<int64_t>(row.line));
    json.Key("id").String(row.id).Key("message").String(row.message).EndObject();
  }
  json.EndArray();
}

}  // namespace

double Evaluation::accuracy_of_all_rows() const {
  return rows == 0 ? 0 : static_cast<double>(all.right) / static_cast<double>(rows);
}

double Evaluation::mean_of_sources() const {
  double sum = 0;
  for (const auto& [name, figures] : sources) sum += figures.accuracy;
  return sources.empty() ? 0 : sum / static_cast<double>(sources.size());
}

std::string ReportText(const Evaluation& evaluation, bool utf8) {
  std::string text = Heading(evaluation) + "\n";
  if (evaluation.all.rows > 0) {
    text += QualityTable(evaluation, utf8) + "\n" + SelectiveTable(evaluation, utf8) + "\n";
  }
  if (evaluation.all.ordinal) text += OrdinalLine(*evaluation.all.ordinal);
  if (evaluation.reversed) text += OrderLine(*evaluation.reversed);
  if (!evaluation.refused.empty()) text += RefusedLines(evaluation);
  if (evaluation.sources.size() > 1) text += "\n" + SourceTable(evaluation, utf8);
  return text;
}

std::string ReportJson(const Evaluation& evaluation) {
  JsonWriter json;
  json.BeginObject().Key("dikast").String(Version()).Key("model").String(evaluation.model);
  json.Key("model_sha256").String(evaluation.model_sha256).Key("calibration");
  json.String(evaluation.calibration.empty() ? "none" : evaluation.calibration);
  json.Key("data").String(evaluation.data).Key("data_sha256").String(evaluation.data_sha256);
  json.Key("over_length").String(evaluation.over_length).Key("options").String(evaluation.options);
  json.Key("orders").Integer(evaluation.orders);
  json.Key("rows").Integer(static_cast<int64_t>(evaluation.rows));
  json.Key("answered").Integer(static_cast<int64_t>(evaluation.all.rows));
  json.Key("accuracy_of_all_rows").Number(evaluation.accuracy_of_all_rows());
  json.Key("mean_of_sources").Number(evaluation.mean_of_sources()).Key("all");
  WriteFigures(evaluation.all, json);
  WriteGroups("types", evaluation.types, json);
  WriteGroups("sources", evaluation.sources, json);
  if (evaluation.reversed) {
    json.Key("reversed").BeginObject();
    json.Key("rows").Integer(static_cast<int64_t>(evaluation.reversed->rows));
    json.Key("flips").Integer(static_cast<int64_t>(evaluation.reversed->flips));
    json.Key("largest_change").Number(evaluation.reversed->largest_change);
    json.Key("mean_distance").Number(evaluation.reversed->mean_distance).EndObject();
  }
  WriteRefused(evaluation, json);
  return json.EndObject().Take();
}

}  // namespace dikast::cli
