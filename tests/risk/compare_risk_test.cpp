#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/compare_risk.hpp>
#include <adacvar/risk/cvar.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using Losses = std::vector<double>;
using Models = std::vector<Losses>;
using support::expect_words;

Losses exponential(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, n);
  Losses losses(n);
  for (double& loss : losses) loss = -std::log1p(-rng.uniform());
  return losses;
}

/// Slow reference: the definition in the header.
struct Difference {
  double value;
  double error;
};

Difference difference(const Losses& one, const Losses& other, double alpha) {
  const TailRisk a = tail_risk(one, alpha);
  const TailRisk b = tail_risk(other, alpha);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double d = (std::max(one[i] - a.var, 0.0) - std::max(other[i] - b.var, 0.0)) / alpha;
    sum += d;
    squares += d * d;
  }
  const auto n = static_cast<double>(one.size());
  const double variance = squares / n - std::pow(sum / n, 2);
  return {a.cvar - b.cvar, variance < 1e-12 ? 0 : std::sqrt(variance / n)};
}

// Twenty rows or fewer are all in the tails, so that draws are the rows' own numbers.
TEST(CompareRisk, agrees_with_resamples_written_out) {
  Rng rng(3);
  for (int round = 0; round < 100; ++round) {
    const std::size_t n = 2 + rng.below(19);
    Models models(2, Losses(n));
    for (Losses& losses : models) {
      for (double& loss : losses) loss = 10 * rng.uniform() - 2;
    }
    const double alpha = 0.05 + 0.95 * rng.uniform();
    const BootstrapOptions options{.resamples = 1 + rng.below(100), .seed = rng(), .threads = 1};
    const Difference whole = difference(models[0], models[1], alpha);
    Losses t;
    for (std::uint64_t b = 0; b < options.resamples; ++b) {
      Rng draws(options.seed, b);
      Models drawn(2);
      for (std::size_t j = 0; j < n; ++j) {
        const std::uint32_t row = draws.below(static_cast<std::uint32_t>(n));
        for (std::size_t m = 0; m < 2; ++m) drawn[m].push_back(models[m][row]);
      }
      const Difference found = difference(drawn[0], drawn[1], alpha);
      t.push_back((found.value - whole.value) / std::max(found.error, whole.error / 10));
    }
    std::ranges::sort(t);
    const auto k = std::max<std::size_t>(
        1, static_cast<std::size_t>(static_cast<double>(t.size() + 1) * 0.025));
    const CvarDifference found = compare_cvar(models, 1, alpha, options)[0];
    EXPECT_NEAR(found.value, whole.value, 1e-12);
    EXPECT_NEAR(found.error, whole.error, 1e-9);
    if (whole.error == 0) continue;
    EXPECT_NEAR(found.interval.low, whole.value - whole.error * t[t.size() - k], 1e-7);
    EXPECT_NEAR(found.interval.high, whole.value - whole.error * t[k - 1], 1e-7);
  }
}

TEST(CompareRisk, a_model_is_not_told_from_itself_or_its_twin) {
  const Losses losses = exponential(300, 1);
  for (const CvarDifference& d : compare_cvar(Models{losses, losses}, 0, 0.1)) {
    EXPECT_EQ(d, (CvarDifference{}));
    EXPECT_FALSE(d.is_told_apart());
  }
}

// Both models have the same errors up to a little noise: their own intervals are wide, but paired
// comparison separates them if one is always a little worse, and does not if only the noise
// differs.
TEST(CompareRisk, rows_are_paired) {
  const Losses losses = exponential(500, 2);
  const Losses noise = exponential(500, 3);
  Losses worse = losses;
  Losses shuffled = losses;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    worse[i] += 0.05;
    shuffled[i] += 0.01 * (noise[i] - 1);
  }
  const auto found = compare_cvar(Models{losses, worse, shuffled, exponential(500, 4)}, 0, 0.1);
  EXPECT_NEAR(found[1].value, 0.05, 1e-12);
  EXPECT_TRUE(found[1].is_told_apart());
  EXPECT_FALSE(found[2].is_told_apart());
  EXPECT_FALSE(found[3].is_told_apart());
  EXPECT_LT(10 * found[1].error, found[3].error);
}

TEST(CompareRisk, many_rows_use_the_normal_quantiles) {
  const Models models{exponential(100'001, 5), exponential(100'001, 6)};
  const CvarDifference found = compare_cvar(models, 0, 0.1)[1];
  EXPECT_NEAR(found.value, cvar(models[1], 0.1) - cvar(models[0], 0.1), 1e-12);
  EXPECT_NEAR(found.interval.high - found.value, 1.959964 * found.error, 1e-6 * found.error);
  // Both sides of the border agree.
  Models fewer = models;
  for (Losses& losses : fewer) losses.pop_back();
  const CvarDifference resampled = compare_cvar(fewer, 0, 0.1)[1];
  EXPECT_NEAR(resampled.interval.low, found.interval.low, 0.5 * found.error);
  EXPECT_NEAR(resampled.interval.high, found.interval.high, 0.5 * found.error);
}

TEST(CompareRisk, threads_do_not_change_a_bit) {
  const Models models{exponential(1000, 7), exponential(1000, 8)};
  const auto one = compare_cvar(models, 0, 0.05, {.seed = 1, .threads = 1});
  EXPECT_EQ(one, compare_cvar(models, 0, 0.05, {.seed = 1, .threads = 4}));
  EXPECT_NE(one, compare_cvar(models, 0, 0.05, {.seed = 2}));
}

TEST(CompareRisk, the_largest_numbers_do_not_overflow) {
  constexpr double kMax = std::numeric_limits<double>::max();
  const Models models{{kMax, -kMax, 1, kMax}, {kMax, kMax, 1, -kMax}};
  for (const double alpha : {0.1, 0.5, 1.0}) {
    const CvarDifference found = compare_cvar(models, 0, alpha)[1];
    EXPECT_TRUE(std::isfinite(found.interval.low) && std::isfinite(found.interval.high));
  }
}

// Independent exponential losses are told apart in about 5 % of the samples (Pareto(3) ones in 9
// %); more than 80 or fewer than 25 of 1,000 have a probability of 2e-5 each.
TEST(CompareRisk, equal_models_differ_as_rarely_as_stated) {
  int told = 0;
  for (std::uint64_t sample = 0; sample < 1000; ++sample) {
    Rng rng(9, sample);
    Models models(2, Losses(200));
    for (Losses& losses : models) {
      for (double& loss : losses) loss = -std::log1p(-rng.uniform());
    }
    const BootstrapOptions options{.resamples = 300, .seed = sample, .threads = 1};
    if (compare_cvar(models, 0, 0.1, options)[1].is_told_apart()) ++told;
  }
  EXPECT_LE(told, 80);
  EXPECT_GE(told, 25);
}

TEST(CompareRisk, bad_input_is_named) {
  const auto compare = [](const Models& models, std::size_t reference, double alpha) {
    return [=] { std::ignore = compare_cvar(models, reference, alpha); };
  };
  expect_words<OptionError>(compare({{1}, {2}}, 2, 0.1), "reference = 2 ... 2 models");
  expect_words<OptionError>(compare({{1}, {2}}, 0, 2), "alpha = 2 is outside (0, 1]");
  expect_words<DataError>(compare({{1}, {2, 3}}, 0, 0.1),
                          "models[1] has 2 losses, models[0] has 1");
  expect_words<DataError>(compare({{}, {}}, 0, 0.1),
                          "losses is empty: at least one loss is needed");
}

}  // namespace
}  // namespace adacvar
