#include "cli/svg.h"

#include <cstdio>

#include "cli/terminal.h"

namespace dikast::cli {
namespace {

template <class... Values>
std::string Format(const char* format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return escaped;
}

std::string Paint(const char* attribute, std::string_view colour) {
  return std::string(" ") + attribute + "=\"" + std::string(colour) + "\"";
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title) {
  text_ = Format(
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
              "height=\"%g\" role=\"img\" font-family=\"system-ui, -apple-system, 'Segoe UI', "
              "'DejaVu Sans', sans-serif\">\n",
              width, height, width, height) +
          "<title>" + Escape(title) + "</title>\n";
  Rect({0, 0}, width, height, "#ffffff");
}

void Svg::Rect(Point corner, double width, double height, std::string_view colour, double opacity) {
  text_ += Format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", corner.x, corner.y,
                  width, height) +
           Paint("fill", colour) + (opacity < 1 ? Format(" fill-opacity=\"%.2f\"", opacity) : "") +
           "/>\n";
}

void Svg::Line(Point from, Point to, std::string_view colour, double width, bool dashed) {
  text_ += Format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%g\"",
                  from.x, from.y, to.x, to.y, width) +
           Paint("stroke", colour) + (dashed ? " stroke-dasharray=\"5 4\"" : "") + "/>\n";
}

void Svg::Path(const std::vector<Point>& points, std::string_view colour, double width) {
  text_ += Format("<polyline fill=\"none\" stroke-width=\"%g\" stroke-linejoin=\"round\"", width) +
           Paint("stroke", colour) + " points=\"";
  for (const Point& point : points) text_ += Format("%.1f,%.1f ", point.x, point.y);
  text_ += "\"/>\n";
}

void Svg::Dot(Point centre, double radius, std::string_view colour) {
  text_ += Format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"", centre.x, centre.y, radius) +
           Paint("fill", colour) + " stroke=\"#ffffff\" stroke-width=\"1.5\"/>\n";
}

void Svg::Text(Point at, std::string_view text, const TextStyle& style) {
  const char* anchor = style.anchor == Anchor::kStart    ? "start"
                       : style.anchor == Anchor::kMiddle ? "middle"
                                                         : "end";
  text_ += Format("<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" text-anchor=\"%s\"", at.x, at.y,
                  style.size, anchor) +
           Paint("fill", style.colour) + (style.bold ? " font-weight=\"600\"" : "") +
           (style.upright ? "" : Format(" transform=\"rotate(-90 %.1f %.1f)\"", at.x, at.y)) + ">" +
           Escape(text) + "</text>\n";
}

std::string Svg::Take() && { return std::move(text_) + "</svg>\n"; }

}  // namespace dikast::cli
