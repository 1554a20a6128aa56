#pragma once

#include <adacvar/report/evaluation.hpp>
#include <adacvar/run/result.hpp>
#include "report/page.hpp"

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Builds the report of `train` or `compare`. Results must have their losses (Detail::losses);
/// sections that need Detail::all are omitted without it.
[[nodiscard]] Page run_page(const RunReport& report, const PageOrigin& origin);

/// Builds the report of `compare` with two or more seeds: their summary, then the page of the
/// first, which must have its losses. `notes` are those of all seeds.
[[nodiscard]] Page repeats_page(std::span<const RunReport> reports,
                                const std::vector<std::string>& notes, const PageOrigin& origin);

/// Builds the report of `evaluate`.
[[nodiscard]] Page evaluation_page(const Evaluation& evaluation, const PageOrigin& origin);

}  // namespace adacvar
