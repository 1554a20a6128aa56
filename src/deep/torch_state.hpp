#pragma once

#include <torch/types.h>

#include <iosfwd>
#include <vector>

namespace adacvar {

/// A copy of a model's parameters and buffers.
struct TorchState {
  std::vector<torch::Tensor> tensors;

  [[nodiscard]] bool is_finite() const;
};

void add_to_mean(TorchState& mean, double share, const TorchState& state);
void set_zero(TorchState& state);
void save_model_state(const TorchState& state, std::ostream& out);
void load_model_state(TorchState& state, std::istream& in);

}  // namespace adacvar
