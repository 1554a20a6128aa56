#pragma once

#include <adacvar/learner/train.hpp>

#include <vector>

namespace adacvar {

/// Returns the tuning grid: optimizer (the given one and Adam, or Adam and SGD) x learning rate
/// (1/10, 1 and 10 times the given one) x three values of the main parameter of the algorithm: eta
/// for adacvar (1/3, 1, 3 times), the temperature for soft (1/10, 1, 10), again the learning rate
/// for trunc and mean (1/3, 1, 3). Unless gamma is given, two more settings: gamma 0.3 and 0.7, for
/// the mean 1/9 and 9 times the learning rate. It has 30 runs (18) for every algorithm, so that
/// none is favoured; the first has the given options. (exact has nothing to tune: one run.)
/// Automatic values must be resolved before (`resolve_defaults`).
[[nodiscard]] std::vector<TrainOptions> tuning_grid(const TrainOptions& options);

/// The grid of trees, 12 runs for every algorithm: depth (the given one, 2 less and 2 more) x rate
/// (the given one and a third) x share of rows (the given one and 0.7).
[[nodiscard]] std::vector<TrainOptions> tree_grid(const TrainOptions& options);

}  // namespace adacvar
