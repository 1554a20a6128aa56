#include "sampler/exact_marginals.hpp"

#include "base/portable_math.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace adacvar {

namespace {

// Every exclusion divides by a factor and rounds; after this many the products are recomputed.
constexpr std::size_t kMostReplaced = 4096;

// Interpolation over cells of width 1 is exact to rounding while the nodes' angles stay below this;
// cells further from nu than kFarCell are so for any angle.
constexpr double kSafeAngle = 1.2;
constexpr double kFarCell = 6.5;

}  // namespace

ExactMarginals::ExactMarginals(LogWeightBuckets& buckets, std::size_t k)
    : k_(k), size_(buckets.size()) {
  rebuild(buckets);
}

void ExactMarginals::rebuild(LogWeightBuckets& buckets) {
  tilt_ = buckets.tilt();
  variance_ = buckets.variance();
  replaced_ = 0;
  fourier_.begin(buckets.size(), variance_);
  fourier_.include_certain(buckets.list_size(buckets.bin_count() - 1));
  include_cells(buckets);
  fourier_.finish(k_);
}

void ExactMarginals::include_cells(LogWeightBuckets& buckets) {
  constexpr std::size_t kNodes = LogWeightBuckets::kNodes;
  const bool safe = fourier_.largest_angle() < kSafeAngle;
  const auto weights = buckets.node_weights();
  for (std::size_t cell = 0; cell < buckets.cells(); ++cell) {
    const std::uint64_t count = buckets.cell_size(cell);
    if (count == 0) continue;
    const double centre = buckets.cell_centre(cell) + tilt_;
    if (count <= kNodes || (!safe && std::abs(centre) < kFarCell)) {
      include_items(buckets, cell);
      continue;
    }
    // One side for the whole cell, since the interpolated function must be smooth across it.
    const bool heavy = centre > 0.0;
    if (heavy) fourier_.include_certain(count);
    for (std::size_t n = cell * kNodes; n < (cell + 1) * kNodes; ++n) {
      fourier_.include_weighted(buckets.node_position(n) + tilt_, weights[n], heavy);
    }
  }
}

void ExactMarginals::include_items(const LogWeightBuckets& buckets, std::size_t cell) {
  std::array<double, 256> z;
  std::size_t filled = 0;
  for (std::size_t b = 0; b < LogWeightBuckets::kBucketsPerCell; ++b) {
    const std::size_t bin = 1 + cell * LogWeightBuckets::kBucketsPerCell + b;
    for (std::uint32_t slot = 0; slot < buckets.list_size(bin); ++slot) {
      z[filled++] = buckets.log_weight(*buckets.slot_address(bin, slot)) + tilt_;
      if (filled < z.size()) continue;
      fourier_.include(z);
      filled = 0;
    }
  }
  fourier_.include(std::span(z).first(filled));
}

void ExactMarginals::save(StateWriter& writer) const {
  writer.put(tilt_);
  writer.put(variance_);
  writer.put(replaced_);
  fourier_.save(writer);
}

void ExactMarginals::load(StateReader& reader) {
  tilt_ = reader.get<double>();
  variance_ = reader.get<double>();
  replaced_ = reader.get<std::uint64_t>();
  reader.require(
      std::isfinite(tilt_) && variance_ >= 0.0 && variance_ <= static_cast<double>(size_),
      "its exact distribution is out of range");
  fourier_.begin(size_, variance_);
  fourier_.load(reader);
  fourier_.finish(k_);
}

void ExactMarginals::replace(double before, double after) {
  fourier_.exclude(before + tilt_);
  fourier_.include(after + tilt_);
  ++replaced_;
}

void ExactMarginals::settle(LogWeightBuckets& buckets, double shift) {
  tilt_ += shift;
  const double drift = std::abs(buckets.tilt() - tilt_);
  const double variance = buckets.variance();
  // With small variance the sums are accurate only near their tilt, hence also an absolute limit.
  const bool moved = drift > 0.25 || drift * drift * std::max(variance, variance_) > 0.25 ||
                     variance > 1.25 * variance_ || variance < 0.8 * variance_;
  if (moved || replaced_ > kMostReplaced) {
    rebuild(buckets);
  } else {
    fourier_.finish(k_);
  }
}

void ExactMarginals::bound_marginals(const LogWeightBuckets& buckets, std::span<double> bounds,
                                     std::span<double> masses) const {
  // P_i / P_j lies between 1 and w_i / w_j for w_i >= w_j (docs/how_it_works.md): any one item
  // bounds all of its bucket. The slack covers rounding.
  const double slack = 1.0 + 1e-9;
  const double width = portable::exp(1.0 / LogWeightBuckets::kBucketsPerCell) * slack;
  const std::size_t last = buckets.bin_count() - 1;
  std::vector<std::size_t> filled;
  std::vector<double> values;
  for (std::size_t bin = 1; bin < last; ++bin) {
    if (buckets.list_size(bin) == 0) continue;
    filled.push_back(bin);
    values.push_back(buckets.log_weight(*buckets.slot_address(bin, 0)) + tilt_);
  }
  marginals(values);
  std::ranges::fill(bounds, 0.0);
  for (std::size_t f = 0; f < filled.size(); ++f) {
    bounds[filled[f]] = std::min(1.0, width * values[f]);
  }
  // Below the window P = e^z Pr(S = k - 1) / Pr(S = k) to rounding; above it P = 1.
  bounds[0] = slack * fourier_.light_ratio() * portable::exp(buckets.upper_edge(0) + tilt_);
  bounds[last] = 1.0;
  for (std::size_t bin = 0; bin <= last; ++bin) masses[bin] = bounds[bin] * buckets.list_size(bin);
}

}  // namespace adacvar
