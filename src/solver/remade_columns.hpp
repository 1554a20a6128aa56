#pragma once

#include "solver/dual_bound.hpp"
#include "solver/mobility.hpp"
#include "solver/problem.hpp"

#include <adacvar/data/dataset.hpp>

#include <Eigen/Core>

#include <vector>

namespace adacvar {

/// The problem's data with features that are nearly combinations of others replaced by what is left
/// of them when these are taken away, in units of its size: the same problem, but for the rounding
/// of the new columns, in a form that leaves a solver digits to work with. Features that depend on
/// others (Problem::dependent) become 0 for Models::held, and, where nothing is left, for
/// Models::all.
class RemadeColumns {
 public:
  RemadeColumns(const Problem& problem, Models models);

  [[nodiscard]] const Dataset& data() const { return data_; }
  /// Whether there is a new column.
  [[nodiscard]] bool is_changed() const { return !remainders_.empty(); }

  /// Parameters of the model with the same scores: on the problem's data of one on this, and back.
  [[nodiscard]] Eigen::VectorXd to_problem(Eigen::VectorXd theta) const;
  [[nodiscard]] Eigen::VectorXd from_problem(Eigen::VectorXd theta) const;

 private:
  Dataset data_;
  std::vector<Mobility::Remainder> remainders_;
  Eigen::Index width_;
};

}  // namespace adacvar
