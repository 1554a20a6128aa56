#pragma once

#include <adacvar/report/evaluation.hpp>
#include <adacvar/run/result.hpp>
#include "report/page.hpp"

#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// The report of `train` or `compare`. Results must have their losses (Detail::losses); sections
/// whose data is not there (Detail::all) are left out.
[[nodiscard]] Page run_page(const RunReport& report, const PageOrigin& origin);

/// The report of `compare` with several seeds, at least two: what they come to, then the page of
/// the first, which must have its losses. `notes` are those of all.
[[nodiscard]] Page repeats_page(std::span<const RunReport> reports,
                                const std::vector<std::string>& notes, const PageOrigin& origin);

/// The report of `evaluate`: no training is known of, so nothing is said about it.
[[nodiscard]] Page evaluation_page(const Evaluation& evaluation, const PageOrigin& origin);

}  // namespace adacvar
