#pragma once

#include <adacvar/risk/evaluate_risk.hpp>
#include <adacvar/run/run.hpp>
#include "data/prepare_data.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

/// Returns the notes about the data, and one for each set of rows whose tail is less than a row.
[[nodiscard]] std::vector<std::string> data_notes(const PreparedData& data, double alpha);

/// Adds notes about runs that diverged or stalled and gaps that were not reached, and a headline if
/// the least CVaR is that of the uniform prediction.
void add_result_notes(const RunOptions& options, RunReport& report);

/// Rows and their weights.
struct RowWeightSums {
  std::size_t rows = 0;
  double total = 0;                  ///< without weights the number of rows
  std::optional<double> least = {};  ///< least weight; none without weights
};

/// States that the tail is less than one row, with row weights less than the weight of any; empty
/// if it is not. `rows` names the rows, of which there is at least one.
[[nodiscard]] std::string small_tail_note(const RowWeightSums& sums, double alpha,
                                          const std::string& rows);
[[nodiscard]] std::string small_tail_note(const Dataset& data, double alpha,
                                          const std::string& rows);

/// Explains why the intervals of a heavy tail are not reliable; `rows` names the rows.
[[nodiscard]] std::string heavy_tail_note(const RiskEstimate& risk, double level,
                                          const std::string& rows);

}  // namespace adacvar
