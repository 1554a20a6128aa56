#pragma once

#include <adacvar/run/result.hpp>

#include <string>

namespace adacvar {

/// What a run found, as a table for a terminal of 80 columns: for every part of the data the mean,
/// VaR and CVaR of each algorithm's losses, for classes accuracy and least precision of a class.
/// Where there are several algorithms, a star marks the least CVaR and those that are not told from
/// it (PartRisk::best).
[[nodiscard]] std::string run_text(const RunReport& report);

}  // namespace adacvar
