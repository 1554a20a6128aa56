#pragma once

#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/train.hpp>

#include <cstddef>

namespace adacvar {

/// Returns the options with every automatic value resolved for a linear model and that many
/// training rows: batch size, learning rate, iterate and eta-scale (3 for regression; 20 for
/// classification, where losses differ less).
[[nodiscard]] TrainOptions resolve_defaults(TrainOptions options, std::size_t rows,
                                            const Loss& loss);

/// Returns the options resolved for a network: batches of 64, the last iterate, learning rate 0.05
/// (Adam: 0.001), times alpha for trunc and soft, whose weights are up to 1/alpha; eta-scale as for
/// linear models.
[[nodiscard]] TrainOptions resolve_network_defaults(TrainOptions options, const Loss& loss);

}  // namespace adacvar
