#pragma once

#include <adacvar/report/evaluation.hpp>

#include <string>
#include <vector>

namespace adacvar {

/// Returns the mark of a risk whose interval is not reliable: `?` if the tail has fewer than 10
/// rows, `^` if it is too heavy; else empty.
[[nodiscard]] std::string interval_mark(const RiskEstimate& risk);

/// Returns a sentence for every mark in the tables: `? ...`.
[[nodiscard]] std::vector<std::string> mark_legend(const std::vector<RiskTable>& tables);

}  // namespace adacvar
