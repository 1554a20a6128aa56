#pragma once

#include <string_view>

namespace adacvar {

/// Files embedded at build time (cmake/EmbedText.cmake).
extern const std::string_view kChartScript;  ///< Chart.js
extern const std::string_view kChartLicence;
extern const std::string_view kPageScript;
extern const std::string_view kPageStyle;

}  // namespace adacvar
