#pragma once

#include <adacvar/learner/train.hpp>

#include <vector>

namespace adacvar {

/// The small grid that tuning tries: optimizer (SGD with momentum, Adam) x learning rate (1/10, 1
/// and 10 times the one given) x three values of what matters most to the algorithm: for adacvar
/// eta (1/3, 1, 3 times), for soft the temperature (1/10, 1, 10), for trunc and mean again the
/// learning rate (1/3, 1, 3). Eighteen runs for every algorithm, so that none is
/// favoured; the first is the one given. (exact has nothing to tune: one run.) What is automatic
/// should be resolved before (`resolve_defaults`).
[[nodiscard]] std::vector<TrainOptions> tuning_grid(const TrainOptions& options);

}  // namespace adacvar
