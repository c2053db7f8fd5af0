#include "cli/eval_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/svg.h"

namespace dikast::cli {
namespace {

constexpr char kInk[] = "#22303c", kFaint[] = "#66737f", kGrid[] = "#e3e8ec";
constexpr char kBar[] = "#2f6f9f", kOver[] = "#d1603d", kUnder[] = "#5aa469";
constexpr const char* kLines[] = {"#22303c", "#2f6f9f", "#d1603d", "#5aa469"};
constexpr size_t kMostPoints = 400;  // of a line; more are not seen

template <class... Values>
std::string Text(const char* format, Values... values) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

// A rectangle of the picture, and the values at its edges.
struct Area {
  double left, top, width, height;
  double least_x = 0, most_x = 1, least_y = 0, most_y = 1;

  Point At(double x, double y) const {
    return {left + (x - least_x) / (most_x - least_x) * width,
            top + (most_y - y) / (most_y - least_y) * height};
  }
};

void DrawTitle(const std::string& title, const std::string& below, Svg& svg) {
  svg.Text({24, 32}, title, {.size = 16, .colour = kInk, .bold = true});
  svg.Text({24, 52}, below, {.size = 12.5, .colour = kFaint});
}

// Lines across and percentages at `step`, from the bottom up.
void DrawRows(const Area& area, double step, Svg& svg) {
  for (double y = area.most_y; y > area.least_y - step / 2; y -= step) {
    const Point at = area.At(area.least_x, y);
    svg.Line(at, area.At(area.most_x, y), kGrid, 1);
    svg.Text({at.x - 8, at.y + 4}, Text("%.0f %%", 100 * y),
             {.size = 12, .anchor = Svg::Anchor::kEnd, .colour = kFaint});
  }
}

void DrawColumns(const Area& area, double step, Svg& svg) {
  for (double x = area.least_x; x < area.most_x + step / 2; x += step) {
    const Point at = area.At(x, area.least_y);
    svg.Text({at.x, at.y + 18}, Text("%.0f %%", 100 * x),
             {.size = 12, .anchor = Svg::Anchor::kMiddle, .colour = kFaint});
  }
}

void DrawAxisNames(const Area& area, const std::string& x, const std::string& y, Svg& svg) {
  svg.Text({area.left + area.width / 2, area.top + area.height + 38}, x,
           {.anchor = Svg::Anchor::kMiddle, .colour = kInk});
  svg.Text({area.left - 50, area.top + area.height / 2}, y,
           {.anchor = Svg::Anchor::kMiddle, .colour = kInk, .upright = false});
}

// A bar as high as accuracy and confidence both are, and the gap between them.
void DrawBin(const Area& area, size_t b, const ReliabilityBin& bin, Svg& svg) {
  const double part = 1.0 / kReliabilityBins;
  const double x = static_cast<double>(b) * part;
  const double width = area.width * part - 2;
  const Point top = area.At(x, bin.accuracy), mean = area.At(x, bin.confidence);
  const double bottom = area.top + area.height, common = std::max(top.y, mean.y);
  svg.Rect({top.x + 1, common}, width, bottom - common, kBar, 0.85);
  const char* gap = bin.confidence > bin.accuracy ? kOver : kUnder;
  svg.Rect({top.x + 1, std::min(top.y, mean.y)}, width, std::abs(top.y - mean.y), gap, 0.55);
  svg.Line({top.x + 1, mean.y}, {top.x + 1 + width, mean.y}, gap, 2);
}

void DrawHistogram(const Area& area, const Figures& figures, Svg& svg) {
  uint64_t most = 1;
  for (const ReliabilityBin& bin : figures.calibration.bins) most = std::max(most, bin.rows);
  const double width = area.width / kReliabilityBins - 2;
  for (size_t b = 0; b < kReliabilityBins; ++b) {
    const uint64_t rows = figures.calibration.bins[b].rows;
    const double height = area.height * static_cast<double>(rows) / static_cast<double>(most);
    const double x = area.left + static_cast<double>(b) * area.width / kReliabilityBins + 1;
    svg.Rect({x, area.top + area.height - height}, width, height, kFaint, 0.45);
    if (rows == 0) continue;
    svg.Text({x + width / 2, area.top + area.height - height - 4}, std::to_string(rows),
             {.size = 9.5, .anchor = Svg::Anchor::kMiddle, .colour = kFaint});
  }
}

void DrawLegend(Point at, Svg& svg) {
  const auto entry = [&](double y, const char* colour, double opacity, const char* text) {
    svg.Rect({at.x, at.y + y - 10}, 12, 12, colour, opacity);
    svg.Text({at.x + 18, at.y + y}, text, {.size = 12, .colour = kInk});
  };
  entry(0, kBar, 0.85, "right, as said");
  entry(19, kOver, 0.55, "too confident by");
  entry(38, kUnder, 0.55, "too modest by");
}

// The lowest multiple of 10 % that every line stays over.
double LeastAccuracy(const std::vector<CoverageLine>& lines) {
  double least = 1;
  for (const CoverageLine& line : lines) {
    // The first few rows swing widely.
    for (size_t i = line.risks.size() / 20; i < line.risks.size(); ++i) {
      least = std::min(least, 1 - line.risks[i]);
    }
  }
  return std::clamp(std::floor(least * 10 - 0.1) / 10, 0.0, 0.9);
}

std::vector<Point> LinePoints(const Area& area, const std::vector<double>& risks) {
  std::vector<Point> points;
  const size_t step = std::max<size_t>(1, risks.size() / kMostPoints);
  for (size_t i = risks.size() / 50; i < risks.size(); i += step) {
    const double share = static_cast<double>(i + 1) / static_cast<double>(risks.size());
    points.push_back(area.At(share, std::max(area.least_y, 1 - risks[i])));
  }
  points.push_back(area.At(1, std::max(area.least_y, 1 - risks.back())));
  return points;
}

// Names right of the lines' ends, moved apart where they would overlap.
void DrawNames(const Area& area, const std::vector<CoverageLine>& lines, Svg& svg) {
  std::vector<std::pair<double, size_t>> ends;
  for (size_t i = 0; i < lines.size(); ++i) {
    ends.emplace_back(area.At(1, std::max(area.least_y, 1 - lines[i].risks.back())).y, i);
  }
  std::sort(ends.begin(), ends.end());
  double y = 0;
  for (const auto& [end, i] : ends) {
    y = std::max(end + 4, y + 17);
    svg.Text({area.left + area.width + 8, y},
             lines[i].name + Text(" %.1f %%", 100 * (1 - lines[i].risks.back())),
             {.size = 12.5, .colour = kLines[i % std::size(kLines)], .bold = i == 0});
  }
}

double AccuracyAt(const std::vector<double>& risks, size_t percent) {
  return 1 - risks[std::max<size_t>(risks.size() * percent / 100, 1) - 1];
}

void DrawMarks(const Area& area, const std::vector<double>& risks, Svg& svg) {
  for (const size_t percent : {80, 90, 95}) {
    svg.Dot(area.At(static_cast<double>(percent) / 100, AccuracyAt(risks, percent)), 4.5, kInk);
  }
}

}  // namespace

std::string ReliabilityDiagram(const Figures& figures, const std::string& title) {
  const Area area{.left = 84, .top = 76, .width = 420, .height = 420};
  const Area below{.left = 84, .top = 570, .width = 420, .height = 70};
  Svg svg(540, 668, "Reliability: " + title);
  const CalibrationError& error = figures.calibration;
  DrawTitle(title,
            Text("ECE %.2f %%, noise floor %.2f %% (95 %%: %.2f %%), accuracy %.1f %%, %llu rows",
                 100 * error.ece, 100 * error.floor, 100 * error.floor_95, 100 * figures.accuracy,
                 static_cast<unsigned long long>(figures.rows)),
            svg);
  DrawRows(area, 0.2, svg);
  DrawColumns(area, 0.2, svg);
  for (size_t b = 0; b < kReliabilityBins; ++b) {
    if (error.bins[b].rows > 0) DrawBin(area, b, error.bins[b], svg);
  }
  svg.Line(area.At(0, 0), area.At(1, 1), kFaint, 1.2, true);
  DrawAxisNames(area, "Confidence (largest probability)", "Share of right answers", svg);
  DrawLegend({area.left + 16, area.top + 22}, svg);
  DrawHistogram(below, figures, svg);
  svg.Line({below.left, below.top + below.height},
           {below.left + below.width, below.top + below.height}, kGrid, 1);
  svg.Text({below.left + below.width / 2, below.top + below.height + 18}, "Rows by confidence",
           {.size = 12, .anchor = Svg::Anchor::kMiddle, .colour = kFaint});
  return std::move(svg).Take();
}

std::string CoverageCurve(const std::vector<CoverageLine>& lines, const std::string& title) {
  Area area{.left = 84, .top = 76, .width = 460, .height = 340};
  area.least_y = LeastAccuracy(lines);
  Svg svg(680, 476, "Coverage: " + title);
  const std::vector<double>& all = lines[0].risks;
  double aurc = 0;
  for (const double risk : all) aurc += risk / static_cast<double>(all.size());
  DrawTitle(
      title,
      Text("Right among the surest 80 %%: %.1f %%, 90 %%: %.1f %%, 95 %%: %.1f %%; AURC %.3f, "
           "%zu rows",
           100 * AccuracyAt(all, 80), 100 * AccuracyAt(all, 90), 100 * AccuracyAt(all, 95), aurc,
           all.size()),
      svg);
  DrawRows(area, area.least_y < 0.75 ? 0.1 : 0.05, svg);
  DrawColumns(area, 0.2, svg);
  for (size_t i = lines.size(); i-- > 0;) {
    svg.Path(LinePoints(area, lines[i].risks), kLines[i % std::size(kLines)], i == 0 ? 2.6 : 1.7);
  }
  DrawMarks(area, all, svg);
  DrawNames(area, lines, svg);
  DrawAxisNames(area, "Share of answers kept", "Share of right answers among them", svg);
  return std::move(svg).Take();
}

}  // namespace dikast::cli
