#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// Returns weights w >= 0, one per base, of least mean loss of the scores sum_b w_b scores[b], that
/// add up to 1 (`sum_is_one`) or to at most 2. `scores` have outputs entries per row. A convex
/// problem: accelerated projected gradient steps until the objective moves by less than 1e-9 of
/// itself. Cost: some hundred passes over the scores.
[[nodiscard]] std::vector<double> fit_stack_weights(std::span<const std::vector<double>> scores,
                                                    const Dataset& data, const Loss& loss,
                                                    bool sum_is_one);

/// Projects onto {w >= 0, sum w = 1}.
void project_to_simplex(std::span<double> weights);

}  // namespace adacvar
