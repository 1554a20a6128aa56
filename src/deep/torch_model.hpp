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

/// A module to train, created in C++ or loaded from TorchScript. Copies share it.
class TorchModel {
 public:
  TorchModel(torch::nn::AnyModule module, std::size_t outputs, torch::Device device);
  /// Throws: OptionError if it has no trainable parameter.
  TorchModel(torch::jit::Module module, std::size_t outputs, torch::Device device);

  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] torch::Device device() const noexcept { return device_; }

  /// Returns scores, batch x outputs, on the device. The input is moved there and converted to the
  /// type of the parameters, such as that of a float64 module.
  /// Throws: OptionError if the module fails or returns another shape.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& rows);

  /// Switches layers such as dropout between training and evaluation mode.
  void set_training(bool on);

  /// Trainable parameters.
  [[nodiscard]] std::vector<torch::Tensor> parameters() const;
  /// Trainable parameters and buffers.
  [[nodiscard]] std::vector<torch::Tensor> state() const;

  /// Returns a deep copy.
  [[nodiscard]] TorchModel clone() const;

  /// Writes a TorchScript archive.
  void save(std::ostream& out);
  /// Reads the weights of a built-in network. Throws: DataError if they do not fit.
  void load(std::istream& in);

 private:
  void find_type();

  std::variant<torch::nn::AnyModule, torch::jit::Module> module_;
  std::size_t outputs_;
  torch::Device device_;
  torch::Dtype type_ = torch::kFloat32;  // of the first parameter
};

/// Returns the features of `rows` as a batch: rows x features, or rows x channels x height x width
/// for images, which are augmented if `rng` is given.
[[nodiscard]] torch::Tensor gather(const Dataset& data, std::span<const Index> rows,
                                   Augment augment = Augment::none, Rng* rng = nullptr);

/// Computes the scores of `rows` in evaluation mode, without gradients, in blocks.
void evaluation_scores(TorchModel& model, const Dataset& data, std::span<const Index> rows,
                       std::span<double> scores);

/// Returns the first line of an exception of libtorch; the rest is a stack trace.
[[nodiscard]] std::string first_line(const std::exception& error);

}  // namespace adacvar
