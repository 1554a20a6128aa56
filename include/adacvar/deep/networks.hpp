#pragma once

#include <adacvar/learner/network.hpp>

#include <torch/nn/modules/container/any.h>

#include <string>
#include <vector>

namespace adacvar {

/// Returns the names of the built-in networks: mlp, lenet5, lenet5-paper, resnet18, vgg16-bn.
[[nodiscard]] std::vector<std::string> network_names();

/// Throws OptionError unless `options` name a built-in network.
void check_network_name(const NetworkOptions& options);

/// Creates the built-in network `options.network` (`mlp`, `mlp:64,64` or another name of
/// `network_names`) for data of the given shape, with random initial weights. docs/networks.md
/// lists layers, image sizes and parameter counts. Only the options network, width and dropout are
/// used; the network is on the CPU and in training mode.
///
/// `forward` maps n rows of `features` numbers, or n images (n x channels x height x width), to
/// n x outputs scores. `clone` returns a deep copy; like torch's own modules it advances the random
/// generator.
///
/// Weights are drawn from torch's default generator: the same seed of `torch::manual_seed` gives
/// the same weights. Convolutions: normal, variance 2 / fan-out [HZRS15], bias 0. Batch
/// normalisation: 1 and 0. Linear layers: uniform within 1 / sqrt(fan-in), bias too.
///
/// In training mode torch rejects batch normalisation of a single value per channel (a batch of one
/// image on 1 x 1 maps); here it uses the running mean and variance and does not update them.
///
/// Throws: OptionError for another name, widths that are not integers from 1 to 1,000,000, a
/// value out of range, an image network on a table, images that are too small for it, or a shape
/// without features or outputs.
[[nodiscard]] torch::nn::AnyModule make_network(const NetworkOptions& options,
                                                const NetworkShape& shape);

}  // namespace adacvar
