#pragma once

#include <adacvar/risk/evaluate_risk.hpp>
#include <adacvar/run/run.hpp>
#include "data/prepare_data.hpp"

#include <string>
#include <vector>

namespace adacvar {

/// The data's own notes, and one for each set whose tail is less than a row.
[[nodiscard]] std::vector<std::string> data_notes(const PreparedData& data, double alpha);

/// Adds what a user should know of the results: runs that diverged or stalled, gaps that were
/// missed, and as a headline a least CVaR that is that of even odds.
void add_result_notes(const RunOptions& options, RunReport& report);

/// Says why intervals of losses with so heavy a tail are not reliable; `rows` names the rows.
[[nodiscard]] std::string heavy_tail_note(const RiskEstimate& risk, double level,
                                          const std::string& rows);

}  // namespace adacvar
