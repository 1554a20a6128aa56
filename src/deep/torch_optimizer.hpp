#pragma once

#include "deep/torch_state.hpp"

#include <adacvar/learner/optimizer.hpp>

#include <torch/types.h>

#include <cstdint>
#include <iosfwd>
#include <vector>

namespace adacvar {

/// The steps of Optimizer for the parameters of a network, by their gradients. Parameters in main
/// memory are updated in one pass; torch::optim takes several operations for each tensor, which for
/// a small network is a seventh of the time with SGD and a third with Adam.
class TorchOptimizer {
 public:
  /// Shares the tensors of `parameters`.
  TorchOptimizer(std::vector<torch::Tensor> parameters, const OptimizerOptions& options);

  /// Drops the gradients, so that the next ones are kept as they are, neither added nor copied.
  void drop_gradients();
  /// Parameters without a gradient are not changed.
  void step(double rate);

  void save(std::ostream& out) const;
  /// Throws: DataError if the state is not that of these parameters.
  void load(std::istream& in);

 private:
  [[nodiscard]] TorchState moments() const;

  std::vector<torch::Tensor> parameters_;
  OptimizerOptions options_;
  std::uint64_t steps_ = 0;
  std::vector<torch::Tensor> first_;   // momentum, of Adam the mean of the gradients
  std::vector<torch::Tensor> second_;  // of Adam: mean of their squares
};

}  // namespace adacvar
