#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/dataset.hpp>
#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/loss.hpp>
#include <adacvar/solver/certificate.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace adacvar {

/// Most parameters of a model that second-order methods take: they hold matrices of their square.
inline constexpr std::size_t kMostParameters = 5000;

enum class ExactStatus : std::uint8_t {
  /// Certificate::relative_gap is at most the tolerance, or upper - lower at most the certificate's
  /// rounding.
  optimal,
  not_attained,  ///< the CVaR falls towards 0 while the weights grow: separable classes
  stalled,       ///< rounding, or the limit on steps, ended it first; the certificate still holds
  interrupted,   ///< the flag asked for it
};

inline constexpr Names kExactStatusNames{"optimal", "not_attained", "stalled", "interrupted"};

struct ExactOptions {
  Risk risk = {};
  double ridge = 0;
  std::span<const double> ridge_factors = {};  ///< of each feature, above 0; empty: 1
  double tolerance = 1e-6;
  double radius = 0;  ///< Certificate::radius; 0: 100 times the larger of 1 and the solution's norm
  std::uint64_t max_steps = 1000;
  unsigned threads = 0;
  const std::atomic<bool>* stop = nullptr;
};

struct ExactResult {
  LinearModel model;
  Certificate certificate;
  ExactStatus status = ExactStatus::stalled;
  std::uint64_t steps = 0;
  double norm = 0;        ///< of the parameters
  std::vector<double> q;  ///< the distribution behind the bound, one entry per row
};

/// The linear model of least CVaR + ridge/2 |weights|^2, intercepts left out of the ridge, with a
/// proof: ExactStatus::optimal, unless the status says otherwise. Where a constant model attains
/// the optimum within the tolerance, it is the one returned: of many optima one without weights.
///
/// A primal-dual interior-point method on the epigraph form [RU00; M92], for smooth losses with
/// their curvature. Inside, features and targets are of about size 1, so units do not matter. Large
/// data begins on a sample of its rows, and leaves out those far below the tail until one of them
/// rises into it (docs/how_it_works.md). `start`: parameters to begin with, such as those of a
/// neighbouring alpha.
///
/// Cost: ten to fifty steps, each one Gram matrix and six passes over the rows that the tail may
/// reach: about 2 alpha N of them when there are many, O(alpha N parameters^2). Memory: 250 bytes
/// for each of those rows. Deterministic, whatever the number of threads. Throws: OptionError for
/// an option that is not allowed, a loss that does not fit the task or more than 5,000 parameters;
/// DataError for empty data.
[[nodiscard]] ExactResult solve_exact(const Dataset& data, const Loss& loss,
                                      const ExactOptions& options,
                                      const LinearModel* start = nullptr);

}  // namespace adacvar
