#pragma once

#include "solver/column_units.hpp"
#include "solver/minimise.hpp"

#include <adacvar/solver/exact_cvar.hpp>

#include <Eigen/Core>

namespace adacvar {

/// The exact solver on one data set, for any number of risks: units of the columns and features to
/// leave out are found once. Parameters and certificates are in its own units.
class ExactSearch {
 public:
  /// Keeps a reference to `data`. Throws: as solve_exact.
  ExactSearch(const Dataset& data, const Loss& loss, const ExactOptions& options);

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  /// A loss of 1 in these units.
  [[nodiscard]] double loss_unit() const { return columns_.loss_unit(); }

  /// A point to begin with, where nothing is known: for much data by a sample.
  [[nodiscard]] Start start(const Risk& risk, double factor = 1) const;
  [[nodiscard]] Start start_at(const LinearModel& model) const;

  /// The least risk, with `factor` times the ridge.
  [[nodiscard]] SolverOutcome solve(const Risk& risk, double factor, double tolerance,
                                    Start from) const;

  /// The same problem for another risk and `factor` times the ridge.
  [[nodiscard]] Problem problem_for(const Risk& risk, double factor) const {
    return problem_.with_risk(risk, factor);
  }
  [[nodiscard]] SearchOptions search_options(double tolerance) const;

  [[nodiscard]] LinearModel model(const Eigen::VectorXd& theta) const;

  [[nodiscard]] Certificate in_data_units(const Certificate& certificate) const {
    return columns_.from_units(certificate);
  }

  /// An outcome of `solve`, with the whole ridge, in the units of the data.
  [[nodiscard]] ExactResult result(const SolverOutcome& found, const Risk& risk,
                                   double tolerance) const;

 private:
  const Dataset& data_;
  Loss loss_;
  ExactOptions options_;
  ColumnUnits columns_;
  Problem problem_;
};

}  // namespace adacvar
