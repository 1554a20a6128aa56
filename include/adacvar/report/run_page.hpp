#pragma once

#include <adacvar/report/evaluation.hpp>
#include <adacvar/report/page.hpp>
#include <adacvar/report/report.hpp>

namespace adacvar {

/// The report of `train` or `compare`. Results must have their losses (Detail::losses); sections
/// whose data is not there (Detail::all) are left out.
[[nodiscard]] Page run_page(const RunReport& report, const PageOrigin& origin);

/// The report of `evaluate`: no training is known of, so nothing is said about it.
[[nodiscard]] Page evaluation_page(const Evaluation& evaluation, const PageOrigin& origin);

}  // namespace adacvar
