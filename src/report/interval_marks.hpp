#pragma once

#include <adacvar/report/evaluation.hpp>

#include <string>
#include <vector>

namespace adacvar {

/// What stands behind a risk whose interval is not to be relied on: `?` where the tail has fewer
/// than 10 rows, `^` where it is too heavy; else empty.
[[nodiscard]] std::string interval_mark(const RiskEstimate& risk);

/// A sentence for every mark that occurs in the tables, `? ...`.
[[nodiscard]] std::vector<std::string> mark_legend(const std::vector<RiskTable>& tables);

/// Why intervals of losses with this tail are not to be relied on, of which `rows` they are.
[[nodiscard]] std::string heavy_tail_note(const RiskEstimate& risk, double level,
                                          const std::string& rows);

}  // namespace adacvar
