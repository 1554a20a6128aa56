#pragma once

#include <adacvar/run/result.hpp>

#include <string>

namespace adacvar {

/// The first lines of a table: what was learned from which rows, by which loss; `setting` says
/// how: `alpha 0.1, seed 0`.
[[nodiscard]] std::string run_heading(const RunResult& result, const std::string& setting);

/// A value and what it varies by: `0.0573 ± 0.0012`.
[[nodiscard]] std::string spread_text(double value, double spread);

}  // namespace adacvar
