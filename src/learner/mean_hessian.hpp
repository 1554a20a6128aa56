#pragma once

#include <adacvar/base/index.hpp>
#include <adacvar/data/dataset.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <vector>

namespace adacvar {

/// Running mean of the Hessians of batches, for steps of Newton's method: features that are
/// correlated, rare or of different size then learn at the same speed.
///
/// One matrix serves every output of a model. The mean goes over about one epoch of batches, since
/// the curvature of a logistic loss changes with the model. Damping keeps the curvature of each
/// parameter above that of one row, so a feature that has hardly been seen yet moves slowly.
///
/// Cost: memory 16 p^2 bytes for p parameters of an output; p^2 operations for each solution and
/// for each row added. One batch in p / 64 is added.
class MeanHessian {
 public:
  /// `size`: features and intercept; `ridge` is that of the features.
  MeanHessian(std::size_t size, std::uint64_t batches_per_epoch, double ridge);

  /// Adds sum over b of curvatures[b] * (x_b, 1)(x_b, 1)' / B, if it is this batch's turn.
  void observe(const Dataset& data, std::span<const Index> batch,
               std::span<const double> curvatures);

  /// Replaces `gradient`, `size` entries for each output, by H^-1 gradient; unchanged before the
  /// first batch with any curvature.
  void solve(std::span<double> gradient) const;

  void save(std::ostream& out) const;
  void load(std::istream& in);

 private:
  void add_row(const Dataset& data, std::size_t row, double weight);
  void factorise();

  std::size_t size_;
  std::uint64_t stride_;
  double memory_;  // batches added
  double ridge_;
  double rows_ = 1;  // of a batch
  std::uint64_t batches_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t next_factor_ = 1;  // number of batches added at the next factorisation
  std::vector<double> sum_;        // lower triangle by columns: entry (i, j) at j * size + i
  std::vector<double> factor_;     // Cholesky factor L of the damped mean; empty: none yet
  std::vector<double> row_;        // scratch
};

}  // namespace adacvar
