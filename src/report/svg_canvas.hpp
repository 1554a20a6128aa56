#pragma once

#include "report/chart_axis.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// A rectangle in pixels; y grows downwards.
struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor { start, middle, end };

/// Shape of a legend entry.
enum class Swatch { bar, line, shape };

/// Builds the SVG text of a chart, element by element. Colours are CSS classes: `f<n>` fills and
/// `s<n>` strokes in the colour of series n.
class SvgCanvas {
 public:
  explicit SvgCanvas(double width) : width_(width) {}

  /// Draws the title in the first line; the rest is drawn below `top()`.
  void title(const std::string& text);
  /// Draws the names of the series, in as many lines as needed; the meaning of a star is last.
  void legend(const std::vector<std::string>& names, Swatch swatch, const std::string& star = {});
  [[nodiscard]] double top() const { return top_; }
  void skip(double height) { top_ += height; }

  void text(Point at, const std::string& words, Anchor anchor = Anchor::start,
            std::string_view classes = "small", double angle = 0);
  void rectangle(const Box& box, std::string_view classes, const std::string& tooltip = {});
  void line(Point from, Point to, std::string_view classes);
  void path(const std::string& data, std::string_view classes);
  void star(Point centre);
  /// Draws the marker of series n.
  void shape(Point centre, std::size_t n, const std::string& tooltip = {});
  /// Draws a small translucent circle in the colour of series n, for clouds of points.
  void dot(Point centre, std::size_t n);

  /// Draw grid, tick labels and axis labels around `plot`.
  void y_axis(const Box& plot, const ChartAxis& axis, const std::string& label);
  void x_axis(const Box& plot, const ChartAxis& axis, const std::string& label);
  void x_ticks(const Box& plot, const ChartAxis& axis, bool numbers);

  /// Returns the SVG element. `alternative` is its alternative text.
  [[nodiscard]] std::string element(double height, const std::string& name,
                                    const std::string& alternative) const;

 private:
  double width_;
  double top_ = 0;
  std::string body_;
};

/// Estimates the width of a label; a browser's font may differ.
[[nodiscard]] double label_width(const std::string& text);

/// Formats a coordinate to a tenth of a pixel.
[[nodiscard]] std::string px(double value);

/// `M x y` or `L x y`.
[[nodiscard]] std::string path_step(char command, Point to);

/// Returns the CSS classes of the lines of series n: colour and dash pattern.
[[nodiscard]] std::string stroke_class(std::size_t n);
[[nodiscard]] std::string fill_class(std::size_t n);

}  // namespace adacvar
