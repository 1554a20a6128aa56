#pragma once

#include <adacvar/run/result.hpp>

#include <string>

namespace adacvar {

/// Returns the first lines of a table: data, task, target, loss and numbers of rows; `setting` is
/// appended: `alpha 0.1, seed 0`.
[[nodiscard]] std::string run_heading(const RunResult& result, const std::string& setting);

/// Formats a value and its spread: `0.0573 ± 0.0012`.
[[nodiscard]] std::string spread_text(double value, double spread);

}  // namespace adacvar
