#pragma once

#include "report/chart.hpp"

#include <string>

namespace adacvar {

/// Renders the chart as one self-contained SVG element, for a file or a page. Its colours (Okabe
/// and Ito's, safe for colour-blind readers) follow the reader's light or dark setting; its
/// alternative text is `text_alternative`. Bar charts grow wider with the number of groups.
[[nodiscard]] std::string svg(const BarChart& chart);
[[nodiscard]] std::string svg(const LineChart& chart);
[[nodiscard]] std::string svg(const ScatterChart& chart);
[[nodiscard]] std::string svg(const HistogramChart& chart);
[[nodiscard]] std::string svg(const Chart& chart);

}  // namespace adacvar
