#include <adacvar/base/rng.hpp>
#include <adacvar/risk/cvar_bound.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace adacvar {
namespace {

constexpr std::size_t kSamples = 1000;
constexpr std::array<double, 3> kAlphas{0.05, 0.2, 1.0};
// At 90 % confidence at most 100 failures are expected. A binomial count exceeds 147, by 4.9
// standard deviations, with probability 1.5e-6.
constexpr double kConfidence = 0.9;
constexpr std::size_t kMostFailures = 147;

struct Distribution {
  std::string name;
  std::function<double(double)> from_top;  // the loss that a share v of losses exceeds
};

double cvar_of(const Distribution& distribution, double alpha) {
  constexpr int kPoints = 100'000;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) sum += distribution.from_top(alpha * (i + 0.5) / kPoints);
  return sum / kPoints;
}

// Continuous, with atoms, and rare losses of the largest possible size.
std::vector<Distribution> distributions() {
  return {{"uniform", [](double v) { return 1 - v; }},
          {"truncated exponential", [](double v) { return std::min(1.0, -0.1 * std::log(v)); }},
          {"levels", [](double v) { return std::floor(4 * (1 - v)) / 3; }},
          {"1 in 2 %, else 0", [](double v) { return v < 0.02 ? 1.0 : 0.0; }}};
}

// Counts samples in which a bound fails at some alpha. `bounds` of one sample, compared with the
// truth by `fails`.
std::size_t failures(const std::vector<double>& truth,
                     const std::function<std::vector<double>(Rng&)>& bounds,
                     const std::function<bool(double bound, double truth)>& fails) {
  std::size_t count = 0;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    Rng rng(5, sample);
    const std::vector<double> found = bounds(rng);
    bool failed = false;
    for (std::size_t a = 0; a < truth.size(); ++a) failed = failed || fails(found[a], truth[a]);
    count += failed ? 1 : 0;
  }
  return count;
}

bool too_low(double bound, double truth) { return bound < truth - 1e-6; }
bool too_high(double bound, double truth) { return bound > truth + 1e-6; }

TEST(CvarBoundDistribution, bounds_at_all_tail_shares_hold_at_once) {
  const CvarBoundOptions options{.confidence = kConfidence};
  for (const Distribution& distribution : distributions()) {
    std::vector<double> truth;
    for (const double alpha : kAlphas) truth.push_back(cvar_of(distribution, alpha));
    for (const std::size_t n : {20U, 150U}) {
      const auto draw = [&](Rng& rng) {
        std::vector<double> losses(n);
        for (double& loss : losses) loss = distribution.from_top(1 - rng.uniform());
        return losses;
      };
      const auto upper = [&](Rng& rng) { return cvar_upper_bounds(draw(rng), kAlphas, options); };
      const auto lower = [&](Rng& rng) { return cvar_lower_bounds(draw(rng), kAlphas, options); };
      EXPECT_LE(failures(truth, upper, too_low), kMostFailures) << distribution.name << ' ' << n;
      EXPECT_LE(failures(truth, lower, too_high), kMostFailures) << distribution.name << ' ' << n;
    }
  }
}

// Two models with the same distribution of losses, the one large where the other is small, or
// almost equal: no difference must be shown.
TEST(CvarBoundDistribution, equal_models_are_rarely_told_apart) {
  const std::vector<double> truth(kAlphas.size(), 0.0);
  for (const Distribution& distribution : distributions()) {
    for (const bool similar : {false, true}) {
      const auto bounds = [&](Rng& rng) {
        std::vector<double> one(100);
        std::vector<double> other(100);
        for (std::size_t i = 0; i < one.size(); ++i) {
          const double v = 1 - rng.uniform();
          one[i] = distribution.from_top(v);
          const double same = std::fmod(v + 0.001, 1);
          other[i] = distribution.from_top(similar ? same : std::max(1e-9, 1 - v));
        }
        return cvar_difference_bounds(one, other, kAlphas, {.confidence = kConfidence});
      };
      EXPECT_LE(failures(truth, bounds, too_low), kMostFailures) << distribution.name;
    }
  }
}

}  // namespace
}  // namespace adacvar
