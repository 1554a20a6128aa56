#pragma once

#include <adacvar/report/evaluation.hpp>
#include <adacvar/run/result.hpp>

#include <string>

namespace adacvar {

/// Capabilities of a terminal.
struct TextStyle {
  bool colour = false;   ///< colours the tail
  bool unicode = false;  ///< bars of block characters; else ASCII
};

/// Draws histograms of the losses of all results (Detail::losses) over one axis, for 80 columns:
/// bars show the logarithm of the counts; mean, VaR and CVaR are marked below them.
[[nodiscard]] std::string histogram_text(const RunReport& report, const TextStyle& style);
[[nodiscard]] std::string histogram_text(const Evaluation& evaluation, const TextStyle& style);

}  // namespace adacvar
