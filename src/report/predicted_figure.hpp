#pragma once

#include <adacvar/run/result.hpp>
#include "report/page.hpp"

#include <string>

namespace adacvar {

/// Targets over predictions of regression: at most 1,000 rows, and those with the largest losses
/// (at most 20, if the detail has worst rows). `name` is the model's, if there are several.
[[nodiscard]] PageFigure predicted_figure(const PartDetail& detail, const std::string& id,
                                          const std::string& name, const std::string& rows);

}  // namespace adacvar
