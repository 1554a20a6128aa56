#pragma once

#include "sampler/fourier_marginals.hpp"
#include "sampler/log_weight_buckets.hpp"

#include <span>

namespace adacvar {

/// Exact k-DPP marginals of the weights in a LogWeightBuckets, maintained under updates.
///
/// At a fixed tilt an updated weight changes one factor of every Fourier product. When the matched
/// tilt has drifted by half a standard deviation of S, or rounding errors may have accumulated, the
/// products are recomputed at the current tilt by interpolation over the window's cells, at a cost
/// that does not depend on N. If the nodes come near the poles of sigma (s below 8), the few cells
/// around nu are summed item by item instead.
class ExactMarginals {
 public:
  ExactMarginals(LogWeightBuckets& buckets, std::size_t k);

  /// Replaces one log-weight; the marginals are stale until `settle`.
  void replace(double before, double after);
  /// Updates the marginals, after solve_tilt of `buckets` has returned `shift`.
  void settle(LogWeightBuckets& buckets, double shift);

  /// Returns the constant to add to log-weights before `marginals`.
  [[nodiscard]] double tilt() const noexcept { return tilt_; }
  [[nodiscard]] double marginal(double log_weight) const {
    return fourier_.marginal(log_weight + tilt_);
  }
  /// Replaces z = x + tilt by P, in place.
  void marginals(std::span<double> z) const { fourier_.marginals(z, z); }

  /// As LogWeightBuckets::bound_marginals, for the exact marginals.
  void bound_marginals(const LogWeightBuckets& buckets, std::span<double> bounds,
                       std::span<double> masses) const;

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  void rebuild(LogWeightBuckets& buckets);
  void include_cells(LogWeightBuckets& buckets);
  void include_items(const LogWeightBuckets& buckets, std::size_t cell);

  std::size_t k_;
  std::size_t size_;
  FourierMarginals fourier_;
  double tilt_ = 0.0;
  double variance_ = 0.0;  // at the last rebuild
  std::uint64_t replaced_ = 0;
};

}  // namespace adacvar
