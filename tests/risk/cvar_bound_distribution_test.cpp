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

constexpr std::size_t kSamples = 2000;
constexpr std::array<double, 3> kAlphas{0.05, 0.2, 1.0};
// 90 % confidence: 200 failures are expected at most. A binomial count exceeds that by 4.8 standard
// deviations, to 265, with probability 2e-6.
constexpr double kConfidence = 0.9;
constexpr std::size_t kMostFailures = 265;

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

// Continuous, with atoms, and the hardest: mostly 0, rarely the largest possible loss. Some
// distribution comes close to the nominal rate of failures for every band, so a band that is too
// narrow by a fifth is found.
std::vector<Distribution> distributions() {
  return {{"uniform", [](double v) { return 1 - v; }},
          {"truncated exponential", [](double v) { return std::min(1.0, -0.1 * std::log(v)); }},
          {"levels", [](double v) { return std::floor(4 * (1 - v)) / 3; }},
          {"1 in 2 %, else 0", [](double v) { return v < 0.02 ? 1.0 : 0.0; }}};
}

// Draws n losses of each of two models from the same or independent uniform numbers.
std::vector<double> draw(const Distribution& distribution, Rng& rng, std::size_t n) {
  std::vector<double> losses(n);
  for (double& loss : losses) loss = distribution.from_top(1 - rng.uniform());
  return losses;
}

TEST(CvarBoundDistribution, bounds_at_all_tail_shares_hold_at_once) {
  for (const Distribution& distribution : distributions()) {
    std::vector<double> truth;
    for (const double alpha : kAlphas) truth.push_back(cvar_of(distribution, alpha));
    for (const std::size_t n : {20U, 200U}) {
      std::size_t above = 0;
      std::size_t below = 0;
      for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
        Rng rng(n, sample);
        const auto losses = draw(distribution, rng, n);
        const auto upper = cvar_upper_bounds(losses, kAlphas, {.confidence = kConfidence});
        const auto lower = cvar_lower_bounds(losses, kAlphas, {.confidence = kConfidence});
        const auto exceeds = [](double a, double b) { return a > b + 1e-6; };
        above += std::ranges::equal(truth, upper, std::not_fn(exceeds)) ? 0 : 1;
        below += std::ranges::equal(lower, truth, std::not_fn(exceeds)) ? 0 : 1;
      }
      EXPECT_LE(above, kMostFailures) << distribution.name << ", " << n << " losses";
      EXPECT_LE(below, kMostFailures) << distribution.name << ", " << n << " losses";
    }
  }
}

// Two models with the same distribution of losses, dependent or not: no difference must be shown.
TEST(CvarBoundDistribution, equal_models_are_rarely_told_apart) {
  for (const Distribution& distribution : distributions()) {
    for (const bool opposite : {false, true}) {
      std::size_t shown = 0;
      for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
        Rng rng(99, sample);
        std::vector<double> one(100);
        std::vector<double> other(100);
        for (std::size_t i = 0; i < one.size(); ++i) {
          const double v = 1 - rng.uniform();
          one[i] = distribution.from_top(v);
          other[i] = distribution.from_top(opposite ? std::max(1e-9, 1 - v) : 1 - rng.uniform());
        }
        const auto bounds =
            cvar_difference_bounds(one, other, kAlphas, {.confidence = kConfidence});
        shown += std::ranges::any_of(bounds, [](double bound) { return bound < 0; }) ? 1 : 0;
      }
      EXPECT_LE(shown, kMostFailures) << distribution.name;
    }
  }
}

}  // namespace
}  // namespace adacvar
