#pragma once

#include "report/chart.hpp"

#include <nlohmann/json.hpp>

namespace adacvar {

/// A chart as the page's script reads it; values that cannot be shown are null.
[[nodiscard]] nlohmann::ordered_json chart_json(const Chart& chart);

/// Text of the object that may stand in a <script> element: no `<` is left in it.
[[nodiscard]] std::string script_json(const nlohmann::ordered_json& json);

}  // namespace adacvar
