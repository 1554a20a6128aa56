#pragma once

#include <adacvar/run/evaluate.hpp>
#include <adacvar/run/result.hpp>

#include <string>

namespace adacvar {

/// Returns the report of a run as one self-contained HTML page. Results must have their losses
/// (RunHooks::detail); sections that need Detail::all are omitted without it.
[[nodiscard]] std::string run_html(const RunReport& report);

/// Returns the report of an evaluation.
[[nodiscard]] std::string evaluation_html(const Evaluation& evaluation);

}  // namespace adacvar
