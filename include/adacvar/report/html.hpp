#pragma once

#include <adacvar/run/evaluate.hpp>
#include <adacvar/run/result.hpp>

#include <string>

namespace adacvar {

/// A page about a run, as one HTML file that needs nothing else. Results must have their losses
/// (RunHooks::detail); sections whose data is not there (Detail::all) are left out.
[[nodiscard]] std::string run_html(const RunReport& report);

/// A page about an evaluation.
[[nodiscard]] std::string evaluation_html(const Evaluation& evaluation);

}  // namespace adacvar
