#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/network.hpp>
#include <adacvar/learner/train.hpp>

#include <torch/nn/modules/container/any.h>

#include <memory>

namespace adacvar {

/// Trains any module by the one loop of all algorithms: it takes a batch of rows (of pictures:
/// rows x channels x height x width) and gives rows x outputs scores, as many as `loss` has. The
/// module ends with the weights of the result. Of `network` the augmentation and the device count.
/// Randomness of layers comes from libtorch's generators, which are seeded by options.seed.
/// Throws: as `train`; OptionError when the module fails or gives another shape.
NetworkResult train_module(torch::nn::AnyModule module, const Dataset& training,
                           const Dataset* validation, const Loss& loss, const TrainOptions& options,
                           const NetworkOptions& network = {}, const TrainHooks& hooks = {});

/// Makes built-in networks and those of TorchScript files, over libtorch.
[[nodiscard]] std::shared_ptr<const NetworkMaker> torch_network_maker();

}  // namespace adacvar
