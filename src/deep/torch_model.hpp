#pragma once

#include <adacvar/base/rng.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/network.hpp>

#include <torch/script.h>
#include <torch/torch.h>

#include <iosfwd>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace adacvar {

/// A module as training sees it, whether it was made in C++ or read from TorchScript. Copies share
/// it.
class TorchModel {
 public:
  TorchModel(torch::nn::AnyModule module, std::size_t outputs, torch::Device device);
  /// Throws: OptionError when it has nothing to learn.
  TorchModel(torch::jit::Module module, std::size_t outputs, torch::Device device);

  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] torch::Device device() const noexcept { return device_; }

  /// Scores, batch x outputs, on the device.
  /// Throws: OptionError when the module fails or gives another shape.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& input);

  /// Layers that learn and do something else in use are told which it is.
  void set_training(bool on);

  /// What is learned by gradients; and that with the buffers: all of a model that can change.
  [[nodiscard]] std::vector<torch::Tensor> parameters() const;
  [[nodiscard]] std::vector<torch::Tensor> state() const;

  /// A TorchScript archive.
  void save(std::ostream& out);
  /// Of a built-in network, what `save` wrote. Throws: DataError when it does not fit.
  void load(std::istream& in);

 private:
  std::variant<torch::nn::AnyModule, torch::jit::Module> module_;
  std::size_t outputs_;
  torch::Device device_;
};

/// The features of the rows named, as a batch: rows x features, or of pictures rows x channels x
/// height x width. With `rng` pictures are augmented.
[[nodiscard]] torch::Tensor gather(const Dataset& data, std::span<const Index> rows,
                                   Augment augment = Augment::none, Rng* rng = nullptr);

/// Scores of `rows` by the model in use, without gradients, in blocks.
void scores_in_use(TorchModel& model, const Dataset& data, std::span<const Index> rows,
                   std::span<double> scores);

/// The first line of what a library throws; the rest is its call stack.
[[nodiscard]] std::string first_line(const std::exception& error);

}  // namespace adacvar
