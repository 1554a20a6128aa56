#pragma once

#include <adacvar/run/result.hpp>
#include "report/significance.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// How an algorithm does on one part of the data over several seeds and splits.
struct RepeatedPart {
  MeanSd mean = {};
  MeanSd var = {};
  MeanSd cvar = {};
  std::optional<MeanSd> accuracy = {};             ///< classes only
  std::optional<MeanSd> min_class_precision = {};  ///< classes only
  MeanSd above_least = {};  ///< CVaR less that of the trained algorithm whose mean is least
  double error = 0;         ///< standard error of the mean of these differences
  bool best = false;        ///< a trained algorithm, and not told from that one

  /// Whether it is that one.
  [[nodiscard]] bool is_least() const { return above_least.mean == 0 && above_least.sd == 0; }
};

struct RepeatedResult {
  Algorithm algorithm = Algorithm::adacvar;
  std::size_t broken_off =
      0;  ///< repeats that diverged or were stopped before the first epoch ended
  std::optional<RepeatedPart> train = {};
  std::optional<RepeatedPart> valid = {};
  std::optional<RepeatedPart> test = {};
  double seconds = 0;  ///< mean
};

/// Mean and standard deviation of what `compare` found with several seeds, at least two; all
/// reports have the same algorithms in the same order.
///
/// Differences of CVaRs are taken repeat by repeat. Splits of the same rows overlap, so that their
/// mean has the standard error sd sqrt(1 / R + s / (1 - s)), where s is the part's share of the
/// rows [NB03]; without the second term where the part's rows are the same in every repeat. An
/// algorithm is not told from the best where Student's t of that is inside its 95 %; one that broke
/// off in some repeat is not in the race, nor is the exact optimum.
[[nodiscard]] std::vector<RepeatedResult> summarise_repeats(std::span<const RunReport> reports);

/// As a table for a terminal of 80 columns; columns that do not fit are left out, the VaR first.
[[nodiscard]] std::string repeats_text(std::span<const RunReport> reports);

}  // namespace adacvar
