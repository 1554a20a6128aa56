#pragma once

#include <adacvar/report/correction.hpp>
#include "report/page.hpp"

namespace adacvar {

/// Builds the report of `correct`.
[[nodiscard]] Page correction_page(const Correction& correction, const PageOrigin& origin);

}  // namespace adacvar
