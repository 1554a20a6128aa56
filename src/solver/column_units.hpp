#pragma once

#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/solver/certificate.hpp>

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace adacvar {

/// The data in units that suit a solver: feature f becomes (x_f - centre_f) / unit_f, so that it is
/// of about size 1. Only units in which every entry is exact are used (powers of two; a centre
/// where no difference is rounded), so losses and their bounds are those of the data itself.
/// Columns that are of about size 1 stay as they are; where all do, nothing is copied. Sparse
/// columns have no centre. Targets of a regression that are far from 0 are measured from another
/// mean, and in a unit, a power of two, in which they are of about size 1; loss, ridge and bounds
/// follow.
class ColumnUnits {
 public:
  /// Keeps a reference to `data`.
  ColumnUnits(const Dataset& data, const Loss& loss);

  [[nodiscard]] const Dataset& data() const noexcept { return changed_ ? *changed_ : original_; }
  [[nodiscard]] bool is_changed() const noexcept { return changed_.has_value(); }
  /// That of each feature.
  [[nodiscard]] const std::vector<double>& units() const noexcept { return units_; }

  /// The loss on `data()`, and the ridge: losses and what the ridge adds are those of the original
  /// times a factor.
  [[nodiscard]] Loss loss() const;
  [[nodiscard]] double to_units(double ridge) const;
  /// The original losses are this times those on `data()`.
  [[nodiscard]] double loss_unit() const { return original_loss_.unit(target_unit_); }
  /// In the units of the original losses. Lower bounds round down.
  [[nodiscard]] Certificate from_units(const Certificate& certificate) const;

  /// Parameters of the model with the same scores, up to the unit of the targets: on `data()` of
  /// one on the original, and back.
  [[nodiscard]] Eigen::VectorXd to_units(Eigen::VectorXd theta) const;
  [[nodiscard]] Eigen::VectorXd from_units(Eigen::VectorXd theta) const;

 private:
  const Dataset& original_;
  Loss original_loss_;
  std::optional<Dataset> changed_;
  std::vector<double> units_;
  std::vector<double> centres_;
  double shift_ = 0;        // of the targets that a loss sees,
  double target_unit_ = 1;  // and their unit
};

}  // namespace adacvar
