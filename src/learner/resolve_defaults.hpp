#pragma once

#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>

#include <cstddef>

namespace adacvar {

/// The options with every automatic value resolved for a linear model of so many training rows:
/// the batch, the learning rate, the iterate, and eta-scale (3 for regression; 20 for classes,
/// whose losses lie closer together).
[[nodiscard]] TrainOptions resolve_defaults(TrainOptions options, std::size_t rows,
                                            const Loss& loss);

/// The same for a network: batches of 64, the last iterate, learning rate 0.05 (Adam: 0.001), for
/// trunc and soft times alpha, because their weights are up to 1/alpha; eta-scale as for linear
/// models.
[[nodiscard]] TrainOptions resolve_network_defaults(TrainOptions options, const Loss& loss);

}  // namespace adacvar
