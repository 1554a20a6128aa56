#pragma once

#include <adacvar/run/result.hpp>

#include <string>
#include <vector>

namespace adacvar {

/// What budgets, blends with plain training and temperatures did to the models: a sentence each,
/// with the validation or training risk before and after.
[[nodiscard]] std::vector<std::string> adjustment_lines(const RunReport& report);

}  // namespace adacvar
