#pragma once

#include "solver/problem.hpp"

#include <Eigen/Core>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace adacvar {

/// squared, huber, logistic, softmax; not absolute, pinball, hinge.
[[nodiscard]] bool is_smooth(const Loss& loss);

/// The score at which the loss of a row has its kink, of a loss that is not smooth.
[[nodiscard]] double kink(const Problem& problem, Index row);

/// How a row's loss is written as the larger of up to two linear functions of one number, its
/// "value": slope[j] * value + offset[j].
struct Pieces {
  std::array<double, 2> slope = {1, 0};
  std::array<double, 2> offset = {0, 0};
};

/// The rows as an interior-point method sees them: a number each that depends on theta, and its
/// derivatives. For piecewise linear losses the number is the score, for smooth ones the loss
/// itself. Arrays are made once and used again at every step.
class RowTerms {
 public:
  RowTerms(const Problem& problem, std::vector<Index> rows);
  RowTerms(const RowTerms&) = delete;
  RowTerms& operator=(const RowTerms&) = delete;
  RowTerms(RowTerms&&) = delete;
  RowTerms& operator=(RowTerms&&) = delete;
  ~RowTerms() = default;

  [[nodiscard]] std::span<const Index> rows() const noexcept { return rows_; }
  /// Pieces of a loss: 2 when it is piecewise linear, 1 when it is smooth.
  [[nodiscard]] std::size_t piece_count() const noexcept { return is_smooth_ ? 1 : 2; }
  [[nodiscard]] Pieces pieces(std::size_t r) const;
  /// The numbers, once `move_to` was called.
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
  /// The loss of row r.
  [[nodiscard]] double loss(std::size_t r) const;

  void move_to(const Eigen::VectorXd& theta);
  /// First-order changes of the numbers; kept until the next call.
  [[nodiscard]] const std::vector<double>& changes(const Eigen::VectorXd& step);
  /// sum of weights[r] * gradient of the r-th number.
  [[nodiscard]] Eigen::VectorXd lift(std::span<const double> weights) const;
  /// sum of outer[r] * gradient gradient' + duals[r] * second derivative, damped as that of
  /// Problem. Of many rows those that hardly count are left out, by weights that become 0: far from
  /// the tail both vanish.
  [[nodiscard]] Eigen::MatrixXd curvature(std::span<double> outer, std::span<double> duals,
                                          double damping) const;
  /// Derivatives of the r-th loss by its scores, duals of the two pieces given.
  void append_derivatives(std::size_t r, double first, double second,
                          std::vector<double>& derivatives) const;

 private:
  std::vector<Index> rows_;
  // Few of many rows are copied, so that every pass reads them one after the other.
  Dataset copied_;
  std::optional<Problem> copied_problem_;
  const Problem& problem_;     // of the copy, if there is one,
  std::vector<Index> places_;  // and the rows there
  bool is_smooth_;
  std::vector<double> values_;
  std::vector<double> derivatives_;  // of the numbers by the scores
  std::vector<double> moves_;        // of the scores
  std::vector<double> changes_;
};

}  // namespace adacvar
