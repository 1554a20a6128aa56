#pragma once

#include <adacvar/run/result.hpp>
#include "report/significance.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adacvar {

/// Risks of an algorithm on one set of rows over several seeds and splits.
struct RepeatedPart {
  MeanSd mean = {};
  MeanSd var = {};
  MeanSd cvar = {};
  std::optional<MeanSd> accuracy = {};             ///< classes only
  std::optional<MeanSd> min_class_precision = {};  ///< classes only
  MeanSd above_least = {};  ///< difference to the trained algorithm with the least mean CVaR
  double error = 0;         ///< standard error of the mean of these differences
  bool best = false;        ///< trained, and not significantly different from that one

  /// Whether it is the one with the least mean CVaR.
  [[nodiscard]] bool is_least() const { return above_least.mean == 0 && above_least.sd == 0; }
};

struct RepeatedResult {
  Algorithm algorithm = Algorithm::adacvar;
  std::string label = {};  ///< RunResult::label
  std::string title = {};  ///< result_title
  std::size_t failed_repeats =
      0;  ///< repeats that diverged or were stopped before the first epoch ended
  std::optional<RepeatedPart> train = {};
  std::optional<RepeatedPart> valid = {};
  std::optional<RepeatedPart> test = {};
  double seconds = 0;  ///< mean over the repeats
};

/// Computes means and standard deviations of the results of `compare` with two or more seeds; all
/// reports have the same algorithms in the same order.
///
/// Differences of CVaRs are paired by repeat. Because splits of the same rows overlap, the standard
/// error of their mean is sd sqrt(1 / R + s / (1 - s)), where s is the share of the set's rows
/// [NB03]; without the second term if the rows are the same in every repeat. `best` is determined
/// by Student's t at 95 %; an algorithm that failed in some repeat is not compared, nor is the
/// exact optimum.
[[nodiscard]] std::vector<RepeatedResult> summarise_repeats(std::span<const RunReport> reports);

/// Formats them as a table for a terminal of 80 columns; columns that do not fit are omitted, the
/// VaR first.
[[nodiscard]] std::string repeats_text(std::span<const RunReport> reports);

}  // namespace adacvar
