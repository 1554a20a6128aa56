#include "report/curve_text.hpp"

#include "base/number_text.hpp"
#include "report/text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace adacvar {

namespace {

constexpr std::size_t kColumns = 66;
constexpr std::size_t kLines = 16;
constexpr std::size_t kLabel = 9;  // width of the y axis labels, with their margin
// Dots of a Braille character: two columns of four.
constexpr std::size_t kAcross = 2;
constexpr std::size_t kDown = 4;
constexpr const char* kColour = "\x1b[33m";
constexpr const char* kPlain = "\x1b[0m";

struct Range {
  double low = 0;
  double high = 0;
  bool is_empty = true;

  void add(double value) {
    low = is_empty ? value : std::min(low, value);
    high = is_empty ? value : std::max(high, value);
    is_empty = false;
  }
  /// From 0 to 1; in the middle where there is one value.
  [[nodiscard]] double share(double value) const {
    return high > low ? (value - low) / (high - low) : 0.5;
  }
};

/// One character of the plot.
struct Cell {
  unsigned dots = 0;
  char letter = 0;
  bool is_first = false;  // of the first curve
};

std::string utf8_braille(unsigned dots) {
  const unsigned code = 0x2800U + dots;
  return {static_cast<char>(0xe0U | (code >> 12U)),
          static_cast<char>(0x80U | ((code >> 6U) & 0x3fU)),
          static_cast<char>(0x80U | (code & 0x3fU))};
}

class Canvas {
 public:
  Canvas(const TextPlot& plot, const TextStyle& style) : style_(style), cells_(kColumns * kLines) {
    for (const TextCurve& curve : plot.curves) {
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (!is_point(curve, i)) continue;
        x_.add(curve.x[i]);
        y_.add(curve.y[i]);
      }
    }
    if (x_.is_empty) return;
    for (std::size_t c = 0; c < plot.curves.size(); ++c) draw(plot.curves[c], c == 0);
    for (const TextMark& mark : plot.marks) place(mark);
  }

  [[nodiscard]] bool is_empty() const { return x_.is_empty; }
  [[nodiscard]] const Range& x() const { return x_; }
  [[nodiscard]] const Range& y() const { return y_; }

  [[nodiscard]] std::string line(std::size_t row) const {
    std::string text;
    bool coloured = false;
    for (std::size_t column = 0; column < kColumns; ++column) {
      const Cell& cell = cells_[row * kColumns + column];
      const bool wants = style_.colour && (cell.is_first || cell.letter != 0);
      if (wants != coloured) text += wants ? kColour : kPlain;
      coloured = wants;
      text += symbol(cell);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return coloured ? text + kPlain : text;
  }

 private:
  static bool is_point(const TextCurve& curve, std::size_t i) {
    return std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]);
  }

  [[nodiscard]] std::string symbol(const Cell& cell) const {
    if (cell.letter != 0) return {cell.letter};
    if (cell.dots == 0) return " ";
    if (style_.unicode) return utf8_braille(cell.dots);
    return cell.is_first ? "*" : ".";
  }

  [[nodiscard]] double dot_column(double x) const {
    return x_.share(x) * static_cast<double>(kColumns * kAcross - 1);
  }
  [[nodiscard]] double dot_line(double y) const {
    return (1 - y_.share(y)) * static_cast<double>(kLines * kDown - 1);
  }

  void set(double column, double line, bool is_first) {
    const auto c = static_cast<std::size_t>(std::lround(column));
    const auto l = static_cast<std::size_t>(std::lround(line));
    constexpr std::array<std::array<unsigned, kAcross>, kDown> kBits = {
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    Cell& cell = cells_[l / kDown * kColumns + c / kAcross];
    cell.dots |= kBits[l % kDown][c % kAcross];
    cell.is_first = cell.is_first || is_first;
  }

  void draw(const TextCurve& curve, bool is_first) {
    std::optional<std::size_t> before;
    double travelled = 0;  // along the curve, so that its dots are even
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!is_point(curve, i)) continue;
      const std::size_t from = before.value_or(i);
      const double column = dot_column(curve.x[from]);
      const double line = dot_line(curve.y[from]);
      const double across = dot_column(curve.x[i]) - column;
      const double down = dot_line(curve.y[i]) - line;
      const double length = std::max(std::abs(across), std::abs(down));
      const double step = curve.dotted ? 4 : 1;
      for (double at = step * std::ceil(travelled / step) - travelled; at <= length; at += step) {
        const double share = length > 0 ? at / length : 0;
        set(column + share * across, line + share * down, is_first);
      }
      travelled += length;
      before = i;
    }
  }

  void place(const TextMark& mark) {
    if (!std::isfinite(mark.x) || !std::isfinite(mark.y)) return;
    const double column = std::clamp(dot_column(mark.x), 0.0, kColumns * kAcross - 1.0);
    const double line = std::clamp(dot_line(mark.y), 0.0, kLines * kDown - 1.0);
    Cell& cell = cells_[static_cast<std::size_t>(std::lround(line)) / kDown * kColumns +
                        static_cast<std::size_t>(std::lround(column)) / kAcross];
    if (cell.letter == 0) cell.letter = mark.letter;
  }

  TextStyle style_;
  Range x_;
  Range y_;
  std::vector<Cell> cells_;
};

std::string axis_label(double value) {
  const std::string text = number_text(std::abs(value) < 1e-12 ? 0.0 : value);
  return std::string(kLabel - 1 - std::min(kLabel - 1, text.size()), ' ') + text;
}

}  // namespace

std::string curve_text(const TextPlot& plot, const TextStyle& style) {
  const Canvas canvas(plot, style);
  if (canvas.is_empty()) return "";
  const char* const upright = style.unicode ? "\u2502" : "|";
  const std::string indent(kLabel - 1, ' ');
  std::string text = plot.y_label + "\n";
  for (std::size_t line = 0; line < kLines; ++line) {
    const std::string label = line == 0            ? axis_label(canvas.y().high)
                              : line == kLines - 1 ? axis_label(canvas.y().low)
                                                   : indent;
    text += label + upright + canvas.line(line) + "\n";
  }
  std::string across;
  for (std::size_t i = 0; i < kColumns; ++i) across += style.unicode ? "\u2500" : "-";
  text += indent + (style.unicode ? "\u2514" : "+") + across + "\n";
  const std::string low = number_text(std::abs(canvas.x().low) < 1e-12 ? 0.0 : canvas.x().low);
  const std::string high = number_text(canvas.x().high);
  const std::size_t used = low.size() + high.size() + plot.x_label.size();
  const std::size_t room = kColumns > used ? kColumns - used : 2;
  return text + indent + " " + low + std::string(room / 2, ' ') + plot.x_label +
         std::string(room - room / 2, ' ') + high + "\n";
}

}  // namespace adacvar
