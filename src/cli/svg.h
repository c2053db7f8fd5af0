// A picture as SVG text, element by element.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dikast::cli {

struct Point {
  double x = 0, y = 0;  // pixels, from the top left
};

class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  enum class Anchor { kStart, kMiddle, kEnd };
  struct TextStyle {
    double size = 13;
    Anchor anchor = Anchor::kStart;
    std::string_view colour = "#333333";
    bool bold = false, upright = true;  // not upright: turned a quarter to the left
  };

  void Rect(Point corner, double width, double height, std::string_view colour, double opacity = 1);
  void Line(Point from, Point to, std::string_view colour, double width, bool dashed = false);
  void Path(const std::vector<Point>& points, std::string_view colour, double width);
  void Dot(Point centre, double radius, std::string_view colour);
  void Text(Point at, std::string_view text, const TextStyle& style);

  std::string Take() &&;

 private:
  std::string text_;
};

}  // namespace dikast::cli
