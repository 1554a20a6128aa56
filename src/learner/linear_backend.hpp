#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/optimizer.hpp>
#include <adacvar/learner/train.hpp>

#include <span>
#include <vector>

namespace adacvar {

/// The backend of the loop for linear models: losses of a batch, then a weighted step on it.
class LinearBackend {
 public:
  /// Keeps references to all three.
  LinearBackend(const Dataset& data, const Loss& loss, const TrainOptions& options);

  [[nodiscard]] const LinearModel& model() const noexcept { return model_; }

  void losses(std::span<const Index> batch, std::span<double> losses);

  /// Moves against the gradient of sum w_b L_b / B + ridge/2 |w|^2 at the losses just computed.
  void step(std::span<const Index> batch, std::span<const double> weights, double rate);

 private:
  void shorten(std::span<const Index> batch, std::span<const double> weights, double rate);
  void add_ridge();
  void project();

  const Dataset& data_;
  const Loss& loss_;
  const TrainOptions& options_;
  LinearModel model_;
  Optimizer optimizer_;
  std::vector<double> gradient_, targets_, slopes_;
  std::vector<double> squared_norms_;
};

}  // namespace adacvar
