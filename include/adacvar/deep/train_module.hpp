#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>

#include <torch/nn/modules/container/any.h>

#include <memory>

namespace adacvar {

/// Trains a module with any of the algorithms. The module maps a batch of rows (rows x features, or
/// images: rows x channels x height x width) to rows x outputs scores, as many outputs as `loss`
/// needs; it ends with the trained weights. Only augmentation and device of `network` are used.
/// Random layers draw from libtorch's generators, which are seeded with options.seed.
/// Throws: like `train`; OptionError if the module fails or returns another shape.
NetworkResult train_module(torch::nn::AnyModule module, const Dataset& training,
                           const Dataset* validation, const Loss& loss, const TrainOptions& options,
                           const NetworkOptions& network = {}, const TrainHooks& hooks = {});

/// Returns the maker of built-in networks and TorchScript files, based on libtorch.
[[nodiscard]] std::shared_ptr<const NetworkMaker> torch_network_maker();

}  // namespace adacvar
