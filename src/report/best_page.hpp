#pragma once

#include <adacvar/run/best.hpp>
#include "report/page.hpp"

namespace adacvar {

/// Builds the report of `best`.
[[nodiscard]] Page best_page(const BestReport& report, const PageOrigin& origin);

}  // namespace adacvar
