#pragma once

#include "report/chart_axis.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace adacvar {

/// A rectangle of the drawing, in its pixels; y grows downwards.
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

/// How a series is told from others where colours do not help.
enum class Swatch { bar, line, shape };

/// The SVG text of a drawing, element by element. Colours are classes: `f<n>` fills and `s<n>`
/// strokes in the colour of series n.
class SvgCanvas {
 public:
  explicit SvgCanvas(double width) : width_(width) {}

  /// Title in the first line; what is drawn next stands below `top()`.
  void title(const std::string& text);
  /// The names of series, in as many lines as they need. A star's meaning comes last.
  void legend(const std::vector<std::string>& names, Swatch swatch, const std::string& star = {});
  [[nodiscard]] double top() const { return top_; }
  void skip(double height) { top_ += height; }

  void text(Point at, const std::string& words, Anchor anchor = Anchor::start,
            std::string_view classes = "small", double angle = 0);
  void rectangle(const Box& box, std::string_view classes, const std::string& tooltip = {});
  void line(Point from, Point to, std::string_view classes);
  void path(const std::string& data, std::string_view classes);
  void star(Point centre);
  /// The sign of series n.
  void shape(Point centre, std::size_t n, const std::string& tooltip = {});

  /// Grid, numbers and names of the axes around `plot`.
  void y_axis(const Box& plot, const ChartAxis& axis, const std::string& label);
  void x_axis(const Box& plot, const ChartAxis& axis, const std::string& label);
  void x_ticks(const Box& plot, const ChartAxis& axis, bool numbers);

  /// The whole element. `alternative` says in words what is drawn.
  [[nodiscard]] std::string element(double height, const std::string& name,
                                    const std::string& alternative) const;

 private:
  double width_;
  double top_ = 0;
  std::string body_;
};

/// About how wide text of the size of labels is; a browser's font may differ.
[[nodiscard]] double label_width(const std::string& text);

/// A coordinate as text: tenths of a pixel.
[[nodiscard]] std::string px(double value);

/// `M x y` or `L x y`.
[[nodiscard]] std::string path_step(char command, Point to);

/// The class list of series n, for strokes: its colour and its pattern of dashes.
[[nodiscard]] std::string stroke_class(std::size_t n);
[[nodiscard]] std::string fill_class(std::size_t n);

}  // namespace adacvar
