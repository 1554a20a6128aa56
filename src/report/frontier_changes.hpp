#pragma once

#include <adacvar/run/trace_frontier.hpp>

#include <optional>
#include <string>
#include <vector>

namespace adacvar {

/// Rows that a curve is shown on.
struct FrontierRows {
  std::optional<PartRisk> RunResult::*part;
  std::string name;  ///< training, validation, test
};

/// The sets that have rows: training, validation, test.
[[nodiscard]] std::vector<FrontierRows> rows_of(const FrontierReport& report);

/// The rows that say what a point costs: the training rows; of trees, which fit these too well, the
/// validation rows if there are any.
[[nodiscard]] FrontierRows deciding_rows(const FrontierReport& report);

/// Relative to the model of least mean on the same rows: 0.05 is 5 % more. NaN where that is 0.
struct RiskChange {
  double mean = 0;
  double cvar = 0;
};
[[nodiscard]] RiskChange change_of(const FrontierReport& report, const FrontierRows& rows,
                                   std::size_t point);

/// `+5.00 %`, `-12.3 %`; empty for NaN.
[[nodiscard]] std::string change_text(double share);

/// What the chosen point costs and buys, in a sentence or two.
[[nodiscard]] std::string frontier_verdict(const FrontierReport& report);

/// `37 exact solutions, certified within 1e-4 %`, `7 runs of adacvar`.
[[nodiscard]] std::string points_text(const FrontierReport& report);

}  // namespace adacvar
