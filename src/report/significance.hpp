#pragma once

#include <span>
#include <vector>

namespace adacvar {

struct MeanSd {
  double mean = 0;
  double sd = 0;  ///< of the sample: divided by n - 1; 0 for one value
};

[[nodiscard]] MeanSd mean_sd(std::span<const double> values);

/// Two-sided p-value of Student's paired t-test that both have the same mean. Where all
/// differences are equal, as for a single pair, it is 1 if they are 0, else 0.
/// Throws: OptionError unless both have the same length, at least 1.
[[nodiscard]] double paired_t_test(std::span<const double> one, std::span<const double> other);

/// Which rows of `scores` (algorithms x runs, paired) are best: the one with the best mean, and all
/// that a paired t-test does not tell from it at `level`. A row without runs is never best.
[[nodiscard]] std::vector<bool> best_set(const std::vector<std::vector<double>>& scores,
                                         bool larger_is_better, double level = 0.05);

/// (mean - least mean) / (largest mean - least mean) and sd / largest mean, as in the paper's
/// figures [CLJK20, appendix]; 0 where all means are equal. Rows without runs are NaN.
[[nodiscard]] std::vector<MeanSd> normalised(const std::vector<std::vector<double>>& scores);

}  // namespace adacvar
