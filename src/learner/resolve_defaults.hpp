#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>

#include <cstddef>

namespace adacvar {

/// Most parameters of an output for which `newton` is the automatic choice: beyond, its systems of
/// equations would take longer than the gradients.
inline constexpr std::size_t kMostNewtonParameters = 500;

/// Returns the options with every automatic value resolved for a linear model of that data: batch
/// size, optimizer, learning rate, iterate, memory (1) and eta-scale (3 for regression; 20 for
/// classification, where losses differ less). The learning rate of newton adds up to one step of
/// Newton's method an epoch: a batch in which one row has all the curvature of a direction is then
/// still stable.
[[nodiscard]] TrainOptions resolve_defaults(TrainOptions options, const Dataset& training,
                                            const Loss& loss);

/// Returns the options resolved for a network: batches of 64, 640,000 draws but 50 to 500
/// epochs, the best iterate if there are
/// validation rows, else the last, learning rate 0.05 (Adam: 0.001) along a cosine, times alpha for
/// trunc and soft, whose weights are up to 1/alpha; memory 0.5; eta-scale as for linear models.
[[nodiscard]] TrainOptions resolve_network_defaults(TrainOptions options, const Dataset& training,
                                                    const Dataset* validation, const Loss& loss);

}  // namespace adacvar
