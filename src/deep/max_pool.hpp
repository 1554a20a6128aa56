#pragma once

#include <torch/types.h>

namespace adacvar {

/// Returns the largest of every 2 x 2 pixels of maps, rows x channels x height x width, as
/// torch::max_pool2d(maps, 2) does, bit for bit with its gradient. torch's own kernel compares one
/// pixel at a time and takes a third of a training step of LeNet-5.
[[nodiscard]] torch::Tensor max_pool_by_two(const torch::Tensor& maps);

}  // namespace adacvar
