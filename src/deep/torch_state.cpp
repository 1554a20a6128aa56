#include "deep/torch_state.hpp"

#include "base/state_stream.hpp"

#include <adacvar/base/error.hpp>

#include <torch/torch.h>

#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <utility>

namespace adacvar {

namespace {

constexpr std::string_view kKind = "ACVRTENS";

}  // namespace

bool TorchState::is_finite() const {
  return std::ranges::all_of(tensors, [](const torch::Tensor& tensor) {
    return !tensor.is_floating_point() || torch::isfinite(tensor).all().item<bool>();
  });
}

void add_to_mean(TorchState& mean, double share, const TorchState& state) {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < mean.tensors.size(); ++i) {
    if (mean.tensors[i].is_floating_point()) {
      mean.tensors[i].lerp_(state.tensors[i], share);
    } else {
      mean.tensors[i].copy_(state.tensors[i]);  // the number of batches
    }
  }
}

void set_zero(TorchState& state) {
  for (torch::Tensor& tensor : state.tensors) tensor.zero_();
}

void save_model_state(const TorchState& state, std::ostream& out) {
  // libtorch's archives do not store their length, so they are written as blocks.
  std::ostringstream archive;
  torch::save(state.tensors, archive);
  StateWriter writer(kKind, 1);
  const std::string_view bytes = archive.view();
  writer.put_array(std::span<const char>(bytes.data(), bytes.size()));
  writer.write_to(out);
}

void load_model_state(TorchState& state, std::istream& in) {
  StateReader reader(in, kKind, 1);
  std::string bytes(reader.remaining(), '\0');
  reader.get_array(std::span<char>(bytes));
  std::istringstream archive(std::move(bytes));
  std::vector<torch::Tensor> loaded;
  torch::load(loaded, archive);
  const bool fits = std::ranges::equal(
      loaded, state.tensors, [](const auto& a, const auto& b) { return a.sizes() == b.sizes(); });
  if (!fits) throw DataError("it holds another network");
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    state.tensors[i] = loaded[i].to(state.tensors[i].device());
  }
}

}  // namespace adacvar
