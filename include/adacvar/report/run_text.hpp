#pragma once

#include <adacvar/report/report.hpp>

#include <string>

namespace adacvar {

/// What a run found, as a table for a terminal of 80 columns: for every part of the data the mean,
/// VaR and CVaR of each algorithm's losses, for classes accuracy and least precision of a class.
/// A star marks the least CVaR where there are several algorithms.
[[nodiscard]] std::string run_text(const RunReport& report);

}  // namespace adacvar
