#pragma once

#include "report/chart.hpp"

#include <string>

namespace adacvar {

/// Returns the chart as JSON for the page's script; values that cannot be shown are null. `<` is
/// escaped, so that the text can be put into a <script> element.
[[nodiscard]] std::string chart_json(const Chart& chart);

}  // namespace adacvar
