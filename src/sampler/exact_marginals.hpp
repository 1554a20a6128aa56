#pragma once

#include "sampler/fourier_marginals.hpp"
#include "sampler/log_weight_buckets.hpp"

#include <span>

namespace adacvar {

/// The exact k-DPP marginals of the weights in a LogWeightBuckets, followed through updates.
///
/// At a fixed tilt a moved weight changes one factor of every Fourier product. When the matched
/// tilt has drifted by half a standard deviation of S, or rounding has had time to gather, the
/// products are made anew at the present tilt: by interpolation over the window's cells, at a cost
/// that does not depend on N. Where the nodes come near the poles of sigma (s below 8), the few
/// cells about nu are taken item by item instead.
class ExactMarginals {
 public:
  ExactMarginals(LogWeightBuckets& buckets, std::size_t k);

  /// One weight moved; the marginals are stale until `settle`.
  void replace(double before, double after);
  /// Takes the moves in; the tilt of `buckets` has been solved, which returned `shift`.
  void settle(LogWeightBuckets& buckets, double shift);

  /// What to add to log-weights before `marginals`.
  [[nodiscard]] double tilt() const noexcept { return tilt_; }
  [[nodiscard]] double marginal(double log_weight) const {
    return fourier_.marginal(log_weight + tilt_);
  }
  /// In place: z = x + tilt becomes P.
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
