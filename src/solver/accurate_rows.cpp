#include "solver/accurate_rows.hpp"

#include "base/vector.hpp"

#include <bit>
#include <cstdint>

namespace adacvar {

namespace {

// Knuth's sum: what rounding took is known exactly.
[[gnu::always_inline]] inline void add_exactly(double term, double& sum, double& error) {
  const double next = sum + term;
  const double added = next - sum;
  error += (sum - (next - added)) + (term - added);
  sum = next;
}

/// A double as two parts of at most 26 and 27 bits: times a float, each product is exact.
struct Halves {
  double high;
  double low;
};

Halves split(double x) {
  constexpr std::uint64_t kHigh = ~((std::uint64_t{1} << 27U) - 1);
  const auto high = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & kHigh);
  return {high, x - high};
}

ADACVAR_WIDE void add_dense(const float* row, std::size_t features, Halves factor, double* sums,
                            double* errors) {
  for (std::size_t f = 0; f < features; ++f) {
    const auto x = static_cast<double>(row[f]);
    add_exactly(factor.high * x, sums[f], errors[f]);
    add_exactly(factor.low * x, sums[f], errors[f]);
  }
}

}  // namespace

void AccurateRows::add(const Dataset& data, Index row, double factor, std::size_t first) {
  if (factor == 0) return;
  const Halves halves = split(factor);
  if (data.is_sparse()) {
    for (std::size_t e = data.start[row]; e < data.start[row + std::size_t{1}]; ++e) {
      const std::size_t at = first + data.column[e];
      const auto x = static_cast<double>(data.value[e]);
      add_exactly(halves.high * x, sums_[at], errors_[at]);
      add_exactly(halves.low * x, sums_[at], errors_[at]);
    }
  } else {
    add_dense(data.dense.data() + std::size_t{row} * data.features, data.features, halves,
              sums_.data() + first, errors_.data() + first);
  }
  add_exactly(factor, sums_[first + data.features], errors_[first + data.features]);
}

void AccurateRows::add(const AccurateRows& other) {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    add_exactly(other.sums_[i], sums_[i], errors_[i]);
    errors_[i] += other.errors_[i];
  }
}

Eigen::VectorXd AccurateRows::value() const {
  Eigen::VectorXd result(static_cast<Eigen::Index>(sums_.size()));
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    result(static_cast<Eigen::Index>(i)) = sums_[i] + errors_[i];
  }
  return result;
}

}  // namespace adacvar
