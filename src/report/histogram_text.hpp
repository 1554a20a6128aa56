#pragma once

#include <adacvar/report/evaluation.hpp>
#include <adacvar/run/result.hpp>

#include <string>

namespace adacvar {

/// What a terminal can show.
struct TextStyle {
  bool colour = false;   ///< the tail is coloured
  bool unicode = false;  ///< bars of eighths; else of ASCII signs
};

/// Histograms of the losses of all results (Detail::losses) over one axis, for 80 columns: bars as
/// high as the logarithm of their counts, below them the places of mean, VaR and CVaR.
[[nodiscard]] std::string histogram_text(const RunReport& report, const TextStyle& style);
[[nodiscard]] std::string histogram_text(const Evaluation& evaluation, const TextStyle& style);

}  // namespace adacvar
