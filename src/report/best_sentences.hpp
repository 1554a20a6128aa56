#pragma once

#include <adacvar/run/best.hpp>

#include <string>

namespace adacvar {

/// States what was done to the tail of the stack, and what it changed on held-out rows.
[[nodiscard]] std::string change_sentence(const BestReport& report);

/// The change of the test CVaR by that; empty if there is none.
[[nodiscard]] std::string difference_sentence(const BestReport& report);

/// The guarantee; empty if there is none.
[[nodiscard]] std::string guarantee_sentence(const BestReport& report);

}  // namespace adacvar
