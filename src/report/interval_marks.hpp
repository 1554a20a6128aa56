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

}  // namespace adacvar
