#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>

namespace adacvar {

/// Ada-CVaR with the learner that the analysis of [CLJK20, Sec. 4.2] plays: after every round the
/// model that minimises the loss under the mean of the sampler's distributions so far (plus ridge):
/// weighted least squares, or Newton's method for the other smooth losses.
///
/// `information` bandit: a round draws batches and shows their losses to the adaptive sampler.
/// `full`: the sampler sees the losses of all rows and plays multiplicative weights on the sets of
/// k = floor(alpha N) rows, x_i += eta L_i / s, q = marginals / k; nothing is drawn, so nothing is
/// left to chance: the reference for small problems. eta is then sqrt(8 log(1/alpha) / rounds), or
/// the one given; s is the running CVaR.
///
/// Options, hooks and results as for `train`; `oracle_calls` rounds an epoch. Learning rate,
/// optimizer, radius and the like play no part.
/// Cost: O(rows * parameters^2) a round.
/// Throws: OptionError, DataError as `train`; OptionError for absolute, pinball and hinge losses
/// and for more than 5,000 parameters.
[[nodiscard]] TrainResult be_the_leader(const Dataset& training, const Dataset* validation,
                                        const Loss& loss, const TrainOptions& options,
                                        const TrainHooks& hooks = {});

}  // namespace adacvar
