#pragma once

#include "report/chart.hpp"

#include <string>

namespace adacvar {

/// The chart as one SVG element that needs nothing else: to be written to a file or into a page.
/// Its colours (Okabe and Ito's, safe for the colour-blind) follow the reader's light or dark
/// setting; its words are those of `text_alternative`. Bar charts grow wider with their groups.
[[nodiscard]] std::string svg(const BarChart& chart);
[[nodiscard]] std::string svg(const LineChart& chart);
[[nodiscard]] std::string svg(const ScatterChart& chart);
[[nodiscard]] std::string svg(const HistogramChart& chart);
[[nodiscard]] std::string svg(const Chart& chart);

}  // namespace adacvar
