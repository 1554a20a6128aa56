#pragma once

#include <adacvar/run/result.hpp>

#include <string>

namespace adacvar {

/// Formats results as a table for a terminal of 80 columns: mean, VaR and CVaR of each algorithm's
/// losses on the training, validation and test rows; for classes also accuracy, the least
/// precision of a class and the AUC, where they fit. A single model is followed by its confusion
/// matrix and its largest coefficients. With several algorithms, a star marks the least CVaR and
/// those that are not significantly different from it (PartRisk::best).
[[nodiscard]] std::string run_text(const RunReport& report);

}  // namespace adacvar
