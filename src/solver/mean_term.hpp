#pragma once

#include "solver/dual_bound.hpp"
#include "solver/problem.hpp"

#include <Eigen/Core>

#include <vector>

namespace adacvar {

/// The mean's share of a risk, gamma times the mean loss of all rows, for a smooth loss: value,
/// gradient, and a Hessian that is kept while it still tells how the gradient changes. Problems
/// that differ in gamma share the Hessian. Of squared losses it is constant, so that value and
/// gradient need no pass over the rows either.
class MeanTerm {
 public:
  explicit MeanTerm(const Problem& problem);

  void move_to(const Eigen::VectorXd& theta);
  /// The same, where losses and derivatives of all rows are known.
  void take(const Eigen::VectorXd& theta, std::vector<double> losses,
            std::vector<double> derivatives);

  [[nodiscard]] double value() const noexcept { return gamma_ * mean_; }
  [[nodiscard]] Eigen::VectorXd gradient() const { return gamma_ * gradient_; }
  [[nodiscard]] Eigen::MatrixXd hessian();

  /// Adds all rows with their weights in the risk, as fixed ones, and the derivatives of their
  /// losses.
  void append(RowWeights& q, std::vector<double>& derivatives) const;

 private:
  void add_up();
  [[nodiscard]] bool is_near(const MeanReference& known) const;

  const Problem& problem_;
  double gamma_;
  std::vector<Index> rows_;
  std::vector<double> shares_;
  Eigen::VectorXd theta_;
  double mean_ = 0;
  Eigen::VectorXd gradient_;
  std::vector<double> losses_;
  std::vector<double> derivatives_;
};

}  // namespace adacvar
