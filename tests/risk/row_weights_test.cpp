// Row weights in every function of losses: a row of weight w counts as w rows, but the rows are the
// independent units of intervals.

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>
#include <adacvar/risk/calibration.hpp>
#include <adacvar/risk/classification.hpp>
#include <adacvar/risk/compare_risk.hpp>
#include <adacvar/risk/cvar.hpp>
#include <adacvar/risk/distribution_summary.hpp>
#include <adacvar/risk/evaluate_risk.hpp>
#include "risk/histogram.hpp"
#include "risk/tail_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace adacvar {
namespace {

using Values = std::vector<double>;

struct Sample {
  Values losses;
  Values weights;   // integers
  Values repeated;  // every loss repeated by its weight
};

Sample make_sample(std::size_t rows, std::uint64_t seed) {
  Rng rng(seed);
  Sample sample;
  for (std::size_t i = 0; i < rows; ++i) {
    const double loss = rng.below(4) == 0 ? rng.below(5) : -std::log(1 - rng.uniform());
    const auto weight = 1 + rng.below(6);
    sample.losses.push_back(loss);
    sample.weights.push_back(weight);
    sample.repeated.insert(sample.repeated.end(), weight, loss);
  }
  return sample;
}

TEST(RowWeights, whole_weights_give_exactly_the_risks_of_repeated_rows) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Sample s = make_sample(5 + 7 * seed, seed);
    const Values alphas{0.01, 0.1, 0.3, 1.0};
    const auto weighted = evaluate_risk(s.losses, alphas, {.resamples = 20}, s.weights);
    const auto repeated = evaluate_risk(s.repeated, alphas, {.resamples = 20});
    for (std::size_t a = 0; a < alphas.size(); ++a) {
      EXPECT_EQ(weighted[a].mean, repeated[a].mean);
      EXPECT_EQ(weighted[a].var, repeated[a].var);
      EXPECT_EQ(weighted[a].cvar, repeated[a].cvar);
    }
  }
}

TEST(RowWeights, no_weights_and_equal_weights_are_the_same) {
  const Sample s = make_sample(300, 1);
  const Values alphas{0.05, 0.5};
  const auto plain = evaluate_risk(s.losses, alphas, {.resamples = 200});
  EXPECT_EQ(evaluate_risk(s.losses, alphas, {.resamples = 200}, {}), plain);
  const auto weighted = evaluate_risk(s.losses, alphas, {.resamples = 200}, Values(300, 2.5));
  for (std::size_t a = 0; a < alphas.size(); ++a) {
    EXPECT_NEAR(weighted[a].mean_interval.low, plain[a].mean_interval.low, 1e-12);
    EXPECT_NEAR(weighted[a].mean_interval.high, plain[a].mean_interval.high, 1e-12);
    EXPECT_EQ(weighted[a].var_interval, plain[a].var_interval);
    EXPECT_NEAR(weighted[a].cvar_interval.low, plain[a].cvar_interval.low, 1e-12);
    EXPECT_NEAR(weighted[a].cvar_interval.high, plain[a].cvar_interval.high, 1e-12);
    EXPECT_EQ(weighted[a].reliable, plain[a].reliable);
    EXPECT_EQ(weighted[a].tail_index, plain[a].tail_index);
  }
  EXPECT_EQ(tail_risk(s.losses, {}, 0.1), tail_risk(s.losses, 0.1));
  EXPECT_EQ(worst_case_weights(s.losses, {}, 0.1), worst_case_weights(s.losses, 0.1));
}

struct Drawn {
  Values losses;
  Values weights;
};

// Standard error of the CVaR as the header of evaluate_risk defines it.
double standard_error(const Drawn& drawn, double alpha) {
  const TailRisk risk = tail_risk(drawn.losses, drawn.weights, alpha);
  const double total = std::accumulate(drawn.weights.begin(), drawn.weights.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < drawn.losses.size(); ++i) {
    const double e = std::max(drawn.losses[i] - risk.var, 0.0) / alpha;
    sum += std::pow(drawn.weights[i] * (e - (risk.cvar - risk.var)), 2);
  }
  return std::sqrt(sum) / total;
}

// The bootstrap written out: rows drawn by rank, each with its weight.
TEST(RowWeights, intervals_are_those_of_resampled_rows) {
  Rng rng(3);
  Drawn sample;
  for (int i = 0; i < 80; ++i) {
    sample.losses.push_back(-std::log(1 - rng.uniform()));
    sample.weights.push_back(0.1 + 3 * rng.uniform());
  }
  constexpr double kAlpha = 0.2;
  constexpr std::size_t kResamples = 99;
  std::vector<std::size_t> order(80);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::ranges::greater{}, [&](std::size_t i) { return sample.losses[i]; });
  const double cvar_of_all = cvar(sample.losses, sample.weights, kAlpha);
  const double error_of_all = standard_error(sample, kAlpha);
  Values vars;
  Values studentised;
  for (std::size_t b = 0; b < kResamples; ++b) {
    Rng draws(7, b);
    Drawn drawn;
    for (int j = 0; j < 80; ++j) {
      const std::size_t i = order[draws.below(80)];
      drawn.losses.push_back(sample.losses[i]);
      drawn.weights.push_back(sample.weights[i]);
    }
    vars.push_back(value_at_risk(drawn.losses, drawn.weights, kAlpha));
    studentised.push_back((cvar(drawn.losses, drawn.weights, kAlpha) - cvar_of_all) /
                          std::max(standard_error(drawn, kAlpha), 0.1 * error_of_all));
  }
  std::ranges::sort(vars);
  std::ranges::sort(studentised);
  // k = (99 + 1) * 0.1 / 2 = 5.
  const auto risk =
      evaluate_risk(sample.losses, Values{kAlpha},
                    {.resamples = kResamples, .level = 0.9, .seed = 7}, sample.weights)[0];
  EXPECT_DOUBLE_EQ(risk.var_interval.low, vars[4]);
  EXPECT_DOUBLE_EQ(risk.var_interval.high, vars[kResamples - 5]);
  EXPECT_NEAR(risk.cvar_interval.low, cvar_of_all - error_of_all * studentised[kResamples - 5],
              1e-9);
  EXPECT_NEAR(risk.cvar_interval.high, cvar_of_all - error_of_all * studentised[4], 1e-9);
}

// Four copies of every row would halve the width; weights of 4 must not.
TEST(RowWeights, weights_do_not_narrow_intervals) {
  const Sample s = make_sample(400, 5);
  Values repeated;
  for (const double loss : s.losses) repeated.insert(repeated.end(), 4, loss);
  const auto width = [](const std::vector<RiskEstimate>& risk) {
    return risk[0].cvar_interval.high - risk[0].cvar_interval.low;
  };
  const double plain = width(evaluate_risk(s.losses, Values{0.1}));
  EXPECT_NEAR(width(evaluate_risk(s.losses, Values{0.1}, {}, Values(400, 4.0))), plain,
              1e-9 * plain);
  EXPECT_LT(width(evaluate_risk(repeated, Values{0.1})), 0.7 * plain);
}

TEST(RowWeights, a_tail_of_few_heavy_rows_is_not_reliable) {
  const Sample s = make_sample(200, 6);
  EXPECT_TRUE(evaluate_risk(s.losses, Values{0.1}, {.resamples = 20})[0].reliable);
  Values weights(200, 1e-3);
  const auto worst = std::ranges::max_element(s.losses) - s.losses.begin();
  weights[static_cast<std::size_t>(worst)] = 1;  // nearly all of the tail
  EXPECT_FALSE(evaluate_risk(s.losses, Values{0.9}, {.resamples = 20}, weights)[0].reliable);
}

TEST(RowWeights, extreme_weights_give_finite_intervals) {
  const Sample s = make_sample(50, 7);
  for (const double scale : {1e-300, 1e300}) {
    Values weights = s.weights;
    for (double& weight : weights) weight *= scale;
    weights[0] = 0;
    const auto risk = evaluate_risk(s.losses, Values{0.1}, {.resamples = 50}, weights)[0];
    for (const Interval& interval : {risk.mean_interval, risk.var_interval, risk.cvar_interval}) {
      EXPECT_TRUE(std::isfinite(interval.low) && std::isfinite(interval.high));
      EXPECT_LE(interval.low, interval.high);
    }
  }
}

TEST(RowWeights, comparisons_weight_rows_too) {
  const Sample one = make_sample(150, 8);
  Sample other = one;
  Rng rng(9);
  for (double& loss : other.losses) loss += 0.5 * rng.uniform();
  other.repeated.clear();
  for (std::size_t i = 0; i < other.losses.size(); ++i) {
    other.repeated.insert(other.repeated.end(), static_cast<std::size_t>(one.weights[i]),
                          other.losses[i]);
  }
  const std::vector<Values> models{one.losses, other.losses};
  const std::vector<Values> repeated{one.repeated, other.repeated};
  const auto weighted = compare_cvar(models, 0, 0.2, {.resamples = 100}, one.weights);
  EXPECT_EQ(weighted[1].value, compare_cvar(repeated, 0, 0.2, {.resamples = 20})[1].value);
  EXPECT_EQ(weighted[0].value, 0);

  // The standard error by its definition: e is the difference of the two excesses.
  const double total = std::accumulate(one.weights.begin(), one.weights.end(), 0.0);
  const double var_one = value_at_risk(one.losses, one.weights, 0.2);
  const double var_other = value_at_risk(other.losses, one.weights, 0.2);
  Values e(150);
  double mean = 0;
  for (std::size_t i = 0; i < 150; ++i) {
    e[i] =
        (std::max(other.losses[i] - var_other, 0.0) - std::max(one.losses[i] - var_one, 0.0)) / 0.2;
    mean += one.weights[i] * e[i] / total;
  }
  double squares = 0;
  for (std::size_t i = 0; i < 150; ++i) squares += std::pow(one.weights[i] * (e[i] - mean), 2);
  EXPECT_NEAR(weighted[1].error, std::sqrt(squares) / total, 1e-9);

  const auto plain = compare_cvar(models, 0, 0.2, {.resamples = 100});
  const auto equal = compare_cvar(models, 0, 0.2, {.resamples = 100}, Values(150, 3.0));
  EXPECT_NEAR(equal[1].value, plain[1].value, 1e-12);
  EXPECT_NEAR(equal[1].error, plain[1].error, 1e-12);
  EXPECT_LT(weighted[1].interval.low, weighted[1].value);
  EXPECT_GT(weighted[1].interval.high, weighted[1].value);
}

TEST(RowWeights, tail_index_leaves_out_rows_of_weight_0_and_has_no_unit) {
  Rng rng(10);
  Values kept;
  Values losses;
  Values weights;
  for (int i = 0; i < 4000; ++i) {
    const bool keep = rng.below(2) == 0;
    losses.push_back(std::pow(1 - rng.uniform(), -0.5));  // xi = 1/2
    weights.push_back(keep ? 0.3 : 0.0);
    if (keep) kept.push_back(losses.back());
  }
  ASSERT_TRUE(tail_index(kept));
  EXPECT_NEAR(*tail_index(losses, weights), *tail_index(kept), 1e-9);
  EXPECT_EQ(tail_index(losses, Values(4000, 1.0)), tail_index(losses));
  // Weights that are independent of the losses: the index stays about 1/2 (s.d. about 0.15).
  for (double& weight : weights) weight = 0.1 + rng.uniform();
  EXPECT_NEAR(*tail_index(losses, weights), 0.5, 0.6);
}

TEST(RowWeights, histograms_matrices_and_calibration_count_copies) {
  const Sample s = make_sample(200, 11);
  const Values edges{0, 0.5, 1, 2, 4};
  EXPECT_EQ(histogram(s.losses, edges, s.weights).counts, histogram(s.repeated, edges).counts);

  ConfusionMatrix weighted(3);
  ConfusionMatrix repeated(3);
  Values confidences;
  Values repeated_confidences;
  std::vector<std::uint8_t> correct;
  std::vector<std::uint8_t> repeated_correct;
  Rng rng(12);
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t actual = rng.below(3);
    const std::size_t predicted = rng.below(3);
    weighted.add(actual, predicted, s.weights[i]);
    // Sixteenths: sums of whole multiples are exact in any order.
    confidences.push_back(rng.below(17) / 16.0);
    correct.push_back(actual == predicted ? 1 : 0);
    for (int copy = 0; copy < static_cast<int>(s.weights[i]); ++copy) {
      repeated.add(actual, predicted);
      repeated_confidences.push_back(confidences.back());
      repeated_correct.push_back(correct.back());
    }
  }
  EXPECT_EQ(weighted.rows(), repeated.rows());
  EXPECT_EQ(weighted.accuracy(), repeated.accuracy());
  EXPECT_EQ(weighted.min_class_precision(), repeated.min_class_precision());
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(weighted.count(c), repeated.count(c));

  const auto bins = calibration(confidences, correct, 5, s.weights);
  const auto repeated_bins = calibration(repeated_confidences, repeated_correct, 5);
  ASSERT_EQ(bins.size(), repeated_bins.size());
  std::uint64_t rows = 0;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    EXPECT_EQ(bins[b].weight, repeated_bins[b].weight);
    EXPECT_EQ(bins[b].confidence, repeated_bins[b].confidence);
    EXPECT_EQ(bins[b].accuracy, repeated_bins[b].accuracy);
    rows += bins[b].rows;
  }
  EXPECT_EQ(rows, 200U);
  EXPECT_EQ(calibration_error(bins), calibration_error(repeated_bins));
}

// Weights 1, 1, 2: three rows, of 0.75, 0.75 and 1.5 times the mean weight.
TEST(RowWeights, a_distribution_is_summarised_in_rows_of_the_mean_weight) {
  const Values weights{1, 1, 2};
  const Values losses{1, 2, 3};
  const DistributionSummary even =
      summarise_distribution(Values{0.25, 0.25, 0.5}, losses, 0.5, weights);
  EXPECT_NEAR(even.effective_rows, 3, 1e-12);
  EXPECT_NEAR(even.entropy, std::log(3.0), 1e-12);
  EXPECT_NEAR(even.tail_share, 0.5, 1e-12);  // the row of weight 2 is half of the weight
  const DistributionSummary tail = summarise_distribution(Values{0, 0, 1}, losses, 0.5, weights);
  EXPECT_NEAR(tail.effective_rows, 1.5, 1e-12);
}

TEST(RowWeights, bad_weights_are_refused_by_every_function) {
  const Values losses{1, 2, 3};
  const std::vector<Values> models{losses, losses};
  const Values alphas{0.5};
  const std::vector<std::uint8_t> correct{1, 0, 1};
  const Values confidences{0.5, 0.5, 0.5};
  const Values distribution{0.5, 0.25, 0.25};
  const auto expect_all = [&]<class Error>(const Values& weights, const Error&) {
    EXPECT_THROW((void)evaluate_risk(losses, alphas, {}, weights), Error);
    EXPECT_THROW((void)compare_cvar(models, 0, 0.5, {}, weights), Error);
    EXPECT_THROW((void)tail_index(losses, weights), Error);
    EXPECT_THROW((void)histogram(losses, {0, 1}, weights), Error);
    EXPECT_THROW((void)calibration(confidences, correct, 10, weights), Error);
    EXPECT_THROW((void)summarise_distribution(distribution, losses, 0.5, weights), Error);
  };
  expect_all({1, 2}, OptionError(""));
  const double bad_values[] = {-1.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()};
  for (const double bad : bad_values) {
    expect_all({1, bad, 1}, DataError(""));
    ConfusionMatrix matrix(2);
    EXPECT_THROW(matrix.add(0, 1, bad), DataError);
  }
}

}  // namespace
}  // namespace adacvar
