#include "solver/dual_residual.hpp"

#include "base/parallel.hpp"
#include "base/vector.hpp"

#include <adacvar/risk/cvar.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace adacvar {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Knuth's sum: rounding errors are known exactly.
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

/// Sums of multiples of rows; every rounding error is kept beside the sum it came from.
struct AccurateRows {
  std::vector<double> sums;
  std::vector<double> errors;
  double sizes = 0;  // of the multiples' Euclidean lengths, or more

  explicit AccurateRows(std::size_t width) : sums(width), errors(width) {}

  // Adds factor * (x, 1) to the entries from `first` on.
  void add(const Dataset& data, Index row, double factor, std::size_t first) {
    if (factor == 0) return;
    const Halves halves = split(factor);
    if (data.is_sparse()) {
      for (std::size_t e = data.start[row]; e < data.start[row + std::size_t{1}]; ++e) {
        const std::size_t at = first + data.column[e];
        const auto x = static_cast<double>(data.entry(e));
        add_exactly(halves.high * x, sums[at], errors[at]);
        add_exactly(halves.low * x, sums[at], errors[at]);
      }
    } else {
      add_dense(data.dense.data() + std::size_t{row} * data.features, data.features, halves,
                sums.data() + first, errors.data() + first);
    }
    add_exactly(factor, sums[first + data.features], errors[first + data.features]);
  }

  void add(const AccurateRows& other) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      add_exactly(other.sums[i], sums[i], errors[i]);
      errors[i] += other.errors[i];
    }
    sizes += other.sizes;
  }
};

void add_row(const Problem& problem, Index row, double weight, std::span<const double> derivatives,
             AccurateRows& sum) {
  const Dataset& data = problem.data();
  const std::size_t width = data.features + 1;
  if (derivatives.size() == 1) {
    sum.add(data, row, weight * derivatives[0], 0);
    sum.sizes += std::abs(weight * derivatives[0]) * problem.row_norms()[row];
    return;
  }
  const auto own = static_cast<std::size_t>(problem.target(row));
  detail::AccurateSum others;
  for (std::size_t c = 0; c < derivatives.size(); ++c) {
    if (c == own) continue;
    sum.add(data, row, weight * derivatives[c], c * width);
    others.add(-weight * derivatives[c]);
  }
  const double rounded = others.value();
  others.add(-rounded);
  sum.add(data, row, rounded, own * width);
  sum.add(data, row, others.value(), own * width);
  sum.sizes += 2 * std::abs(rounded) * problem.row_norms()[row];
}

}  // namespace

// By [ORO05, Prop. 4.5] a sum of n terms in twice the precision is off by at most u |sum| + (n u)^2
// times the sum of the terms' sizes, u being half of kEpsilon; n is the longest chain of additions
// below, twice. Factors of 4 cover all else, such as the rounding of the sizes.
DualResidual dual_residual(const Problem& problem, std::span<const Index> rows,
                           std::span<const double> weights, std::span<const double> derivatives) {
  const std::size_t outputs = problem.outputs();
  const auto width = static_cast<std::size_t>(problem.size());
  const std::size_t blocks = (rows.size() + kRowBlock - 1) / kRowBlock;
  std::vector<AccurateRows> sums(blocks, AccurateRows(width));
  (void)problem.row_norms();  // before threads ask for them
  for_each_block(blocks, problem.threads(), [&](std::size_t b) {
    for (std::size_t r = b * kRowBlock; r < std::min((b + 1) * kRowBlock, rows.size()); ++r) {
      add_row(problem, rows[r], weights[r], derivatives.subspan(r * outputs, outputs), sums[b]);
    }
  });
  AccurateRows total(width);
  for (const AccurateRows& sum : sums) total.add(sum);
  const Eigen::Map<const Eigen::VectorXd> high(total.sums.data(), problem.size());
  const Eigen::Map<const Eigen::VectorXd> low(total.errors.data(), problem.size());
  DualResidual found{high + low};
  found.sizes = total.sizes;
  const double chain =
      kEpsilon * static_cast<double>(2 * std::min(rows.size(), kRowBlock) + blocks + outputs);
  found.error = 4 * kEpsilon * found.value.norm() + 4 * chain * chain * total.sizes +
                static_cast<double>(rows.size()) * std::numeric_limits<double>::min();
  return found;
}

}  // namespace adacvar
