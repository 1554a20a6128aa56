#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Losses of a linear model on all rows, with the derivatives that solvers ask for. Parameters are
/// a vector laid out as those of LinearModel. Sums are made in parts that do not depend on the
/// number of threads.
class Problem {
 public:
  /// Keeps a reference to `data`. `units`: of the features, where the data is not in the user's;
  /// the ridge is on the weights in his. Throws: OptionError when there are more than 5,000
  /// parameters, whose Hessian would be too large; DataError for data without rows.
  Problem(const Dataset& data, const Loss& loss, double ridge, unsigned threads,
          std::span<const double> units = {});

  [[nodiscard]] const Dataset& data() const noexcept { return data_; }
  [[nodiscard]] const Loss& loss() const noexcept { return loss_; }
  /// Of each parameter; 0 for intercepts.
  [[nodiscard]] const Eigen::VectorXd& ridge() const noexcept { return ridge_; }
  [[nodiscard]] bool has_ridge() const noexcept { return has_ridge_; }
  /// Features whose weights stay 0, as others can do the same; none where there is a ridge, which
  /// tells them apart.
  [[nodiscard]] const std::vector<std::uint32_t>& dependent() const noexcept { return dependent_; }
  [[nodiscard]] bool is_held(Eigen::Index parameter) const noexcept {
    return !is_held_.empty() && is_held_[static_cast<std::size_t>(parameter)];
  }
  /// Whether the parameter's feature is a combination of others exactly, not up to rounding: no
  /// model has other scores by it.
  [[nodiscard]] bool is_idle(Eigen::Index parameter) const noexcept {
    return !is_idle_.empty() && is_idle_[static_cast<std::size_t>(parameter)];
  }
  /// Whether all that are held are idle.
  [[nodiscard]] bool holds_idle_only() const noexcept { return is_held_ == is_idle_; }
  /// Clears what the parameters that stay 0 have in parameters or a gradient, and makes them leave
  /// the others alone in a Hessian.
  void hold(Eigen::VectorXd& parameters) const;
  void hold(Eigen::MatrixXd& hessian) const;
  [[nodiscard]] unsigned threads() const noexcept { return threads_; }
  [[nodiscard]] std::size_t rows() const noexcept { return data_.rows; }
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] Eigen::Index size() const noexcept { return size_; }
  /// The target that the loss sees.
  [[nodiscard]] double target(Index row) const noexcept {
    return (data_.targets[row] - data_.target_mean) / data_.target_sd;
  }

  [[nodiscard]] LinearModel model(const Eigen::VectorXd& theta) const;

  /// The model without weights that gives the mean target, or all classes the same chance.
  [[nodiscard]] Eigen::VectorXd constant() const;
  /// Its losses. Cost: no look at the features.
  [[nodiscard]] std::vector<double> constant_losses() const;
  /// What is next to nothing beside `constant_loss`, a mean of constant_losses():
  /// Certificate::rounding.
  [[nodiscard]] double rounding(double constant_loss) const;

  /// Scores of the rows named, example by example: linear in theta.
  void scores(const Eigen::VectorXd& theta, std::span<const Index> rows,
              std::vector<double>& scores) const;

  /// Losses of the rows named, and slopes by their scores.
  void evaluate(const Eigen::VectorXd& theta, std::span<const Index> rows,
                std::vector<double>& losses, std::vector<double>& slopes) const;
  /// Losses of every row, in blocks of rows: little memory beside them.
  [[nodiscard]] std::vector<double> losses(const Eigen::VectorXd& theta) const;

  /// Softmax: adding the same to the parameters of every class changes no loss. Takes that part of
  /// a step away, which rounding makes: scores that are large and alike leave losses without
  /// digits.
  void remove_common_part(Eigen::VectorXd& step) const;

  /// ridge/2 |weights|^2.
  [[nodiscard]] double penalty(const Eigen::VectorXd& theta) const;

  /// sum over `rows` of weights[r] * slope (x) (x, 1); slopes[r] is that of row rows[r].
  [[nodiscard]] Eigen::VectorXd gradient(std::span<const Index> rows,
                                         std::span<const double> weights,
                                         std::span<const double> slopes) const;

  /// sum over `rows` of products[r] (x) (x, 1), products having `outputs` entries a row, to a
  /// relative error of some 1e-16: added up in twice the precision [ORO05].
  [[nodiscard]] Eigen::VectorXd accurate_gradient(std::span<const Index> rows,
                                                  std::span<const double> products) const;

  /// The longest chain of additions in that, for limits of its rounding.
  [[nodiscard]] static std::size_t chain_of(std::size_t rows) noexcept;

  /// Of |x|, and 1, over the rows named.
  [[nodiscard]] double largest_entry(std::span<const Index> rows) const;

  /// sum over `rows` of (weights[r] * curvature + outer[r] * slope slope') (x) (x, 1)(x, 1)', the
  /// curvature being the loss's second derivative, which the slope tells, plus `damping` times the
  /// largest there is. `outer` may be empty.
  [[nodiscard]] Eigen::MatrixXd hessian(std::span<const Index> rows,
                                        std::span<const double> weights,
                                        std::span<const double> outer,
                                        std::span<const double> slopes, double damping = 0) const;

  /// Second derivative by the score of a loss with one output, from its slope.
  [[nodiscard]] double curvature(double slope) const noexcept;

 private:
  [[nodiscard]] double curvature(Index row, std::span<const double> slopes, std::size_t c,
                                 std::size_t e) const noexcept;

  const Dataset& data_;
  Loss loss_;
  unsigned threads_;
  std::size_t outputs_;
  Eigen::Index size_;
  double mean_target_ = 0;     // of classes: 0
  double largest_target_ = 0;  // as it was before its mean was taken away; of classes: 0
  bool has_ridge_;
  Eigen::VectorXd ridge_;
  std::vector<std::uint32_t> dependent_;
  std::vector<bool> is_held_;  // by parameter; empty: none
  std::vector<bool> is_idle_;
};

}  // namespace adacvar
