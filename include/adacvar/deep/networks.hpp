#pragma once

#include <adacvar/learner/network.hpp>

#include <torch/nn/modules/container/any.h>

#include <string>
#include <vector>

namespace adacvar {

/// Names of the networks that `make_network` makes: mlp, lenet5, lenet5-paper, resnet18, vgg16-bn.
[[nodiscard]] std::vector<std::string> network_names();

/// Throws: OptionError unless `options` name such a network, whatever the data.
void check_network_name(const NetworkOptions& options);

/// The network `options.network` for data of the shape given, with weights to start from: `mlp`,
/// `mlp:64,64` or another name of `network_names`. Layers, sizes of pictures and parameter counts:
/// docs/networks.md. Of the options it uses network, width and dropout; the network is on the CPU
/// and in training mode. TorchScript files are not made here but loaded.
///
/// `forward` takes n rows of `features` numbers, or n pictures (n x channels x height x width), and
/// gives n x outputs scores. `clone` gives a deep copy; like those of torch's own modules it draws
/// numbers and throws them away.
///
/// Weights are drawn from torch's default generator: the same seed of `torch::manual_seed` gives
/// the same weights. Convolutions: normal, variance 2 / fan-out [HZRS15], bias 0. Batch
/// normalisation: 1 and 0. Linear layers: uniform within 1 / sqrt(fan-in), bias too.
///
/// In training, batch normalisation of a single value per channel (a batch of one picture on 1 x 1
/// maps), which torch refuses, takes the running mean and variance instead and leaves them as they
/// are.
///
/// Throws: OptionError for another name, widths that are not whole numbers from 1 to 1,000,000, a
/// value out of range, a network for pictures on a table, pictures too small for it, or a shape
/// without features or outputs.
[[nodiscard]] torch::nn::AnyModule make_network(const NetworkOptions& options,
                                                const NetworkShape& shape);

}  // namespace adacvar
