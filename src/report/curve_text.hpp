#pragma once

#include "report/histogram_text.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace adacvar {

/// A curve for a terminal.
struct TextCurve {
  std::vector<double> x;
  std::vector<double> y;
  bool dotted = false;
};

/// A letter on the plot. Where two share a place the first in the list is shown.
struct TextMark {
  double x = 0;
  double y = 0;
  char letter = '*';
};

struct TextPlot {
  std::string x_label;
  std::string y_label;
  std::vector<TextCurve> curves;  ///< the first one is coloured
  std::vector<TextMark> marks;
};

/// Draws curves with Braille dots, or with ASCII characters where the terminal has no Unicode, on
/// linear axes in 80 columns. Points that are not finite are omitted.
[[nodiscard]] std::string curve_text(const TextPlot& plot, const TextStyle& style);

}  // namespace adacvar
