#pragma once

#include <span>
#include <vector>

namespace adacvar {

struct MeanSd {
  double mean = 0;
  double sd = 0;  ///< sample standard deviation (n - 1); 0 for one value
};

[[nodiscard]] MeanSd mean_sd(std::span<const double> values);

/// Returns the two-sided p-value of Student's paired t-test for equal means. If all differences are
/// equal, as for a single pair, it is 1 if they are 0, else 0.
/// Throws: OptionError unless both have the same length, at least 1.
[[nodiscard]] double paired_t_test(std::span<const double> one, std::span<const double> other);

/// Marks the best rows of `scores` (algorithms x runs, paired): the one with the best mean, and all
/// that are not significantly different by a paired t-test at `level`. A row without runs is never
/// best.
[[nodiscard]] std::vector<bool> best_set(const std::vector<std::vector<double>>& scores,
                                         bool larger_is_better, double level = 0.05);

/// Returns (mean - least mean) / (largest mean - least mean) and sd / largest mean, as in the
/// paper's figures [CLJK20, appendix]; 0 if all means are equal, NaN for rows without runs.
[[nodiscard]] std::vector<MeanSd> normalise_scores(const std::vector<std::vector<double>>& scores);

}  // namespace adacvar
