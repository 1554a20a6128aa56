#pragma once

#include <adacvar/run/trace_frontier.hpp>
#include "report/histogram_text.hpp"
#include "report/page.hpp"

#include <string>

namespace adacvar {

/// Formats a curve for a terminal of 80 columns: what the chosen point costs and buys, a plot, and
/// the marks on the training, validation and test rows. All need a point.
[[nodiscard]] std::string frontier_text(const FrontierReport& report, const TextStyle& style);

/// Returns the object of docs/file_formats.md in one line. `model_path` is the model file, if one
/// was written.
[[nodiscard]] std::string frontier_json(const FrontierReport& report,
                                        const std::string& model_path = {});

/// Returns a table of all points with a header (docs/file_formats.md).
[[nodiscard]] std::string frontier_csv(const FrontierReport& report);

[[nodiscard]] Page frontier_page(const FrontierReport& report, const PageOrigin& origin);

}  // namespace adacvar
