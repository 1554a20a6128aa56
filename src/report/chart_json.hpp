#pragma once

#include "report/chart.hpp"

#include <string>

namespace adacvar {

/// A chart as the page's script reads it; values that cannot be shown are null. The text may stand
/// in a <script> element: no `<` is left in it.
[[nodiscard]] std::string chart_json(const Chart& chart);

}  // namespace adacvar
