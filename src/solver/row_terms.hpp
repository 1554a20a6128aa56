#pragma once

#include "solver/problem.hpp"

#include <Eigen/Core>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace adacvar {

/// How a row's loss is written as the larger of up to two linear functions of one number, its
/// "value": slope[j] * value + offset[j].
struct Pieces {
  std::array<double, 2> slope = {1, 0};
  std::array<double, 2> offset = {0, 0};
};

/// What an interior-point method sees of the rows: a number each that depends on theta, and the
/// derivatives of those numbers. For piecewise linear losses the number is the score, for smooth
/// ones the loss itself. Arrays are made once and used again at every step.
class RowTerms {
 public:
  virtual ~RowTerms() = default;
  RowTerms(const RowTerms&) = delete;
  RowTerms& operator=(const RowTerms&) = delete;
  RowTerms(RowTerms&&) = delete;
  RowTerms& operator=(RowTerms&&) = delete;

  [[nodiscard]] std::span<const Index> rows() const noexcept { return rows_; }
  /// Pieces of a loss: 2 when it is piecewise linear, 1 when it is smooth.
  [[nodiscard]] virtual std::size_t piece_count() const = 0;
  [[nodiscard]] virtual Pieces pieces(std::size_t r) const = 0;
  /// The numbers, once `move_to` was called.
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
  /// The loss of row r.
  [[nodiscard]] double loss(std::size_t r) const;

  virtual void move_to(const Eigen::VectorXd& theta) = 0;
  /// First-order changes of the numbers; kept until the next call.
  [[nodiscard]] virtual const std::vector<double>& changes(const Eigen::VectorXd& step) = 0;
  /// sum of weights[r] * gradient of the r-th number.
  [[nodiscard]] virtual Eigen::VectorXd lift(std::span<const double> weights) const = 0;
  /// sum of outer[r] * gradient gradient' + duals[r] * second derivative, damped as that of
  /// Problem. Of many rows those that hardly count are left out, by weights that become 0: far from
  /// the tail both vanish.
  [[nodiscard]] virtual Eigen::MatrixXd curvature(std::span<double> outer, std::span<double> duals,
                                                  double damping) const = 0;
  /// Slopes of the r-th loss by its scores, duals of the two pieces given.
  virtual void append_slopes(std::size_t r, double first, double second,
                             std::vector<double>& slopes) const = 0;

 protected:
  RowTerms(const Problem& problem, std::vector<Index> rows)
      : problem_(problem), rows_(std::move(rows)) {}

  const Problem& problem_;
  std::vector<Index> rows_;
  std::vector<double> values_;
  std::vector<double> changes_;
};

/// squared, huber, logistic, softmax; not absolute, pinball, hinge.
[[nodiscard]] bool is_smooth(const Loss& loss);

[[nodiscard]] std::unique_ptr<RowTerms> make_row_terms(const Problem& problem,
                                                       std::vector<Index> rows);

}  // namespace adacvar
