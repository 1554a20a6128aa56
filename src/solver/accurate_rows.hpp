#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace adacvar {

/// Sums of multiples of rows in twice the precision: every rounding error is kept beside the sum it
/// came from [ORO05].
class AccurateRows {
 public:
  AccurateRows() = default;
  explicit AccurateRows(std::size_t width) : sums_(width), errors_(width) {}

  /// Adds factor * (x, 1), x being a row of the data, to the entries from `first` on.
  void add(const Dataset& data, Index row, double factor, std::size_t first);
  void add(const AccurateRows& other);

  [[nodiscard]] Eigen::VectorXd value() const;

 private:
  std::vector<double> sums_;
  std::vector<double> errors_;
};

}  // namespace adacvar
