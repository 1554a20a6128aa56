#pragma once

#include "solver/minimise.hpp"

#include <Eigen/Core>

#include <vector>

namespace adacvar {

/// Rows of fixed weight whose loss has a kink, divided into those near it and those far from it:
/// near an optimum the loss of the latter is linear, as in [PK97]. Rows that pass their kink count
/// as near from then on.
class KinkRows {
 public:
  /// Whether so few of the rows are near their kink, by the error of an optimum of a sample, that
  /// it pays to divide them.
  [[nodiscard]] static bool are_worth_while(const Problem& problem, const RowWeights& q);

  /// Keeps references to both.
  KinkRows(const Problem& problem, const RowWeights& q, const Eigen::VectorXd& theta);

  /// Takes those in whose derivative is another now, or all if there are none; false when all were
  /// in.
  bool take_passed(const std::vector<double>& derivatives);

  [[nodiscard]] RowWeights near() const;
  [[nodiscard]] LinearRows far() const;

 private:
  static double near_count(const Problem& problem, const RowWeights& q);

  const RowWeights& q_;
  std::vector<bool> is_near_;
  std::vector<double> derivatives_;
  int rounds_ = 1;
};

}  // namespace adacvar
