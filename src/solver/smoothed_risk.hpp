#pragma once

#include "solver/minimise.hpp"

#include <Eigen/Core>

namespace adacvar {

/// Over which a kink is smoothed; 0: not known.
struct SmoothingWidths {
  double level = 0;  ///< of the tail, in units of the losses
  double kinks = 0;  ///< of the losses, in units of the scores
};

/// A model to begin with, and what is known of the least risk: a lower bound, the radius of its
/// models and the rounding.
struct SmoothedStart {
  Eigen::VectorXd theta;
  Certificate known;
  SmoothingWidths widths = {};
};

/// A model, its losses' risks, and bounds of the least risk.
struct SmoothedOutcome {
  Eigen::VectorXd theta = {};
  TailRisk risk = {};
  Certificate certificate = {};
  SmoothingWidths widths = {};
};

/// The least risk, to a tolerance that is not too fine for the number of rows: Newton's method on a
/// risk whose kinks are smoothed.
///
/// max(t, 0) = max over 0 <= q <= 1 of q t becomes max of q t + width/2 q (1 - q), a parabola
/// between two lines, at the level of the tail and at the kinks of the loss. Its derivatives q are
/// a point of the dual, and where the smoothed risk is least the duality gap is at most the sum of
/// what was added: widths are chosen for that, wide ones first. Cost of a step: a pass over the
/// features and the Gram matrix of the rows that have curvature.
///
/// The model to begin with is the result where its certificate is within the tolerance. Where no
/// bound is known, too few rows are within the widths, steps lead nowhere, or the loss has several
/// outputs, the result's certificate is not.
[[nodiscard]] SmoothedOutcome minimise_smoothed(const Problem& problem, const SmoothedStart& start,
                                                const SearchOptions& options);

}  // namespace adacvar
