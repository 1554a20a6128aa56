#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/learner/optimizer.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/sampler/make_sampler.hpp>

#include "base/huge_pages.hpp"
#include "learner/mean_hessian.hpp"
#include "learner/step_limit.hpp"

#include <iosfwd>
#include <optional>
#include <span>
#include <vector>

namespace adacvar {

/// Backend of the training loop for linear models: losses of a batch, then a weighted step.
class LinearBackend {
 public:
  /// Keeps references. `rows`: in an epoch; `data` may have only those of a batch.
  LinearBackend(const Dataset& data, const Loss& loss, const TrainOptions& options,
                std::size_t rows);

  using Model = LinearModel;

  [[nodiscard]] const LinearModel& model() const noexcept { return model_; }
  [[nodiscard]] const Scorer& scorer() const noexcept { return model_; }
  [[nodiscard]] bool is_finite() const { return model_.is_finite(); }

  void losses(std::span<const Index> batch, std::span<double> losses);

  /// Takes a step along the negative gradient of sum w_b L_b / B + ridge/2 |w|^2 at the losses just
  /// computed, and prefetches the rows of `next`.
  void step(std::span<const Index> batch, std::span<const double> weights, double rate,
            std::span<const Index> next);

  void after_update(const AnySampler& /*sampler*/) {}

  /// To be called after the rows of `data` have been replaced.
  void take_new_rows();

  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  // Data of an example besides its row, stored together to cost one cache miss.
  struct Example {
    double target;        // standardised
    double squared_norm;  // squared norm of the row with its intercept
  };

  void fetch_examples(std::span<const Index> batch) const;
  void add_gradient(std::span<const Index> batch, std::span<const Index> next);
  void find_curvatures(std::span<const double> weights);
  void limit_step(std::span<const Index> batch, std::span<const double> weights, double rate);
  void add_ridge();
  void project();

  const Dataset& data_;
  const Loss& loss_;
  const TrainOptions& options_;
  LinearModel model_;
  Optimizer optimizer_;
  double curvature_;  // bound of the loss's second derivative
  StepLimit limit_;
  std::optional<MeanHessian> hessian_;  // newton only
  std::vector<double> gradient_, targets_, derivatives_, curvatures_;
  BigVector<Example> examples_;
};

}  // namespace adacvar
