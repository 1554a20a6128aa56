#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/risk/risk.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace adacvar {

/// The tail share at which held-out rows can judge: `alpha`, or a larger one, up to 0.1, whose tail
/// has 20 rows; none if there are too few rows for that.
[[nodiscard]] std::optional<double> judged_alpha(double alpha, const Dataset& held_out);

/// How plain training is blended with training for the tail.
struct BlendRule {
  double alpha = 0.1;         ///< see judged_alpha
  double mean_budget = 0.02;  ///< largest share by which the mean may exceed that of plain training
  bool has_factor = true;     ///< classifiers with probabilities: scores are multiplied by a factor
  bool is_plain = false;      ///< plain training alone: only the factor is chosen
};

struct BlendChoice {
  double share = 0;     ///< of the model trained for the tail; 0 is plain training
  double factor = 1;    ///< on the scores
  TailRisk plain = {};  ///< of plain training, with the factor of its least mean
  TailRisk chosen = {};
};

/// Returns the blend of least CVaR on the held-out rows among those whose mean loss is within the
/// budget: shares 0, 0.1, ..., 1, each with a factor on its scores if there is one. Plain training
/// is one of them, so that the choice is never worse on these rows. `scores_at` gives the scores of
/// the rows at a share. Losses are in the units of the targets. Cost: 11 calls of it, for
/// classifiers and some 150 passes over the scores for each.
[[nodiscard]] BlendChoice choose_blend(
    const std::function<std::vector<double>(double share)>& scores_at, const Dataset& held_out,
    const Loss& loss, const BlendRule& rule);

}  // namespace adacvar
