#include "support/small_problems.hpp"

#include <adacvar/solver/exact_cvar.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

// Random problems of the kinds that end solvers early. Each must end with a clear status: optimal,
// or not attained; never stalled. Seeds are fixed.
namespace adacvar {
namespace {

using support::normal;
using support::random_data;
using support::task_of;

struct Problem {
  Dataset data;
  Loss loss;
  double alpha = 0.1;
  double ridge = 0;
};

double random_alpha(Rng& rng) {
  constexpr std::array kAlphas{0.01, 0.1, 0.3, 0.5, 0.77, 0.9, 1.0};
  return kAlphas[rng.below(kAlphas.size())];
}

/// Small whole numbers; targets are whole numbers below `levels`.
Dataset whole_numbers(Task task, const support::Shape& shape, int reach, Rng& rng) {
  Dataset data;
  data.rows = shape.rows;
  data.features = shape.features;
  data.task = task;
  const auto width = static_cast<std::uint32_t>(2 * reach + 1);
  for (std::size_t i = 0; i < shape.rows * shape.features; ++i) {
    data.dense.push_back(static_cast<float>(static_cast<int>(rng.below(width)) - reach));
  }
  for (std::size_t i = 0; i < shape.rows; ++i) {
    data.targets.push_back(
        static_cast<double>(rng.below(static_cast<std::uint32_t>(shape.classes))));
  }
  for (std::size_t c = 0; c < shape.classes; ++c) data.class_names.push_back(std::to_string(c));
  return data;
}

double sum_of_row(const Dataset& data, std::size_t i) {
  double sum = 0;
  for (std::size_t f = 0; f < data.features; ++f) {
    sum += static_cast<double>(data.dense[i * data.features + f]);
  }
  return sum;
}

// Classes follow the features but for every eighth row or so: parts of a model go to infinity.
Problem half_separable(Rng& rng) {
  const std::size_t classes = 2 + rng.below(4);
  Problem problem{
      .data = whole_numbers(
          Task::multiclass,
          {.rows = 5 + rng.below(56), .features = 1 + rng.below(4), .classes = classes}, 2, rng),
      .loss = Loss(LossKind::softmax),
      .alpha = random_alpha(rng)};
  const double count = static_cast<double>(classes);
  for (std::size_t i = 0; i < problem.data.rows; ++i) {
    if (rng.below(8) == 0) continue;
    const double level = std::floor((sum_of_row(problem.data, i) + 2.5) / 5 * count);
    problem.data.targets[i] = std::clamp(level, 0.0, count - 1);
  }
  return problem;
}

Problem few_whole_numbers(LossKind kind, Rng& rng) {
  const std::size_t classes = kind == LossKind::softmax ? 2 + rng.below(4) : 2;
  return {.data = whole_numbers(
              task_of(kind),
              {.rows = 3 + rng.below(20), .features = 1 + rng.below(6), .classes = classes},
              1 + static_cast<int>(rng.below(3)), rng),
          .loss = Loss(kind),
          .alpha = random_alpha(rng)};
}

void standardise(std::vector<double>& values, double& mean, double& deviation) {
  mean = 0;
  deviation = 0;
  const double count = static_cast<double>(values.size());
  for (const double value : values) mean += value / count;
  for (const double value : values) deviation += (value - mean) * (value - mean) / count;
  deviation = deviation > 0 ? std::sqrt(deviation) : 1.0;
  for (double& value : values) value = (value - mean) / deviation;
}

// A line through numbers with a decimal, standardised to single precision as tables are: what is
// left of the losses is rounding.
Problem rounded_perfect_fit(LossKind kind, Rng& rng) {
  Problem problem{.data = {}, .loss = Loss(kind, 1, 0.3), .alpha = random_alpha(rng)};
  Dataset& data = problem.data;
  data.rows = 3 + rng.below(58);
  data.features = 1 + rng.below(5);
  data.dense.resize(data.rows * data.features);
  data.targets.assign(data.rows, 7.0);
  for (std::size_t f = 0; f < data.features; ++f) {
    std::vector<double> column(data.rows);
    const double weight = static_cast<double>(rng.below(19)) - 9;
    for (std::size_t i = 0; i < data.rows; ++i) {
      column[i] = static_cast<double>(rng.below(1000)) / 10;
      data.targets[i] += weight * column[i];
    }
    double mean = 0;
    double deviation = 0;
    standardise(column, mean, deviation);
    for (std::size_t i = 0; i < data.rows; ++i) {
      data.dense[i * data.features + f] = static_cast<float>(column[i]);
    }
  }
  double mean = 0;
  double deviation = 0;
  standardise(data.targets, mean, deviation);
  data.target_error = std::numeric_limits<double>::epsilon() * std::abs(mean) / deviation;
  return problem;
}

/// As it comes: every feature, or the first one, times `size` and plus `offset`.
struct Raw {
  float size = 1;
  float offset = 0;
  bool all = true;
};

Problem raw_features(LossKind kind, Raw raw, Rng& rng) {
  Problem problem{.data = random_data(task_of(kind),
                                      {.rows = 20 + rng.below(150),
                                       .features = 1 + rng.below(4),
                                       .classes = kind == LossKind::softmax ? 3UL : 2UL},
                                      rng),
                  .loss = Loss(kind, 1, 0.3),
                  .alpha = random_alpha(rng)};
  Dataset& data = problem.data;
  for (std::size_t i = 0; i < data.dense.size(); ++i) {
    if (raw.all || i % data.features == 0) data.dense[i] = data.dense[i] * raw.size + raw.offset;
  }
  if (rng.below(2) == 0) problem.ridge = 0.01;
  return problem;
}

// Nothing but the status counts here, and what must hold of every result.
void expect_clear_endings(int count, const std::function<Problem(Rng&)>& make) {
  for (int seed = 0; seed < count; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Problem problem = make(rng);
    const ExactResult found = solve_exact(
        problem.data, problem.loss, {.risk = {.alpha = problem.alpha}, .ridge = problem.ridge});
    SCOPED_TRACE(testing::Message()
                 << kLossNames.of(problem.loss.kind()) << " seed " << seed << " alpha "
                 << problem.alpha << " lower " << found.certificate.lower << " upper "
                 << found.certificate.upper);
    EXPECT_TRUE(found.model.is_finite());
    EXPECT_NE(found.status, ExactStatus::stalled);
    EXPECT_LE(found.certificate.lower, found.certificate.upper * (1 + 1e-12));
    const double here =
        support::objective(found.model, problem.data, problem.loss, problem.alpha, problem.ridge);
    EXPECT_NEAR(found.certificate.upper, here, 1e-9 * here + found.certificate.rounding);
  }
}

TEST(DegenerateProblems, half_separable_classes_are_certified) {
  expect_clear_endings(400, half_separable);
}

TEST(DegenerateProblems, few_whole_numbers_have_a_clear_ending) {
  for (const LossKind kind :
       {LossKind::squared, LossKind::absolute, LossKind::huber, LossKind::pinball,
        LossKind::logistic, LossKind::softmax, LossKind::hinge}) {
    expect_clear_endings(60, [&](Rng& rng) { return few_whole_numbers(kind, rng); });
  }
}

TEST(DegenerateProblems, perfect_fits_but_for_rounding_are_optimal) {
  for (const LossKind kind :
       {LossKind::squared, LossKind::absolute, LossKind::huber, LossKind::pinball}) {
    expect_clear_endings(60, [&](Rng& rng) { return rounded_perfect_fit(kind, rng); });
  }
}

TEST(DegenerateProblems, features_of_any_size_are_certified) {
  for (const LossKind kind :
       {LossKind::squared, LossKind::absolute, LossKind::huber, LossKind::pinball,
        LossKind::logistic, LossKind::softmax, LossKind::hinge}) {
    for (const Raw raw :
         {Raw{1e6F, 0, true}, Raw{1e6F, 0, false}, Raw{1e-40F, 0, true}, Raw{1e-40F, 0, false},
          Raw{1e20F, 0, false}, Raw{1, 3000, true}, Raw{10, 1e6F, true}}) {
      expect_clear_endings(12, [&](Rng& rng) { return raw_features(kind, raw, rng); });
    }
  }
}

// Powers of two change no digit, so neither do they change what is found.
TEST(DegenerateProblems, units_of_the_features_do_not_matter) {
  Rng rng(3);
  for (const LossKind kind : {LossKind::squared, LossKind::logistic, LossKind::absolute}) {
    const Dataset data = random_data(task_of(kind), {.rows = 80, .features = 3}, rng);
    Dataset scaled = data;
    for (float& x : scaled.dense) x *= 0x1p40F;
    const ExactResult one = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.4}});
    const ExactResult other = solve_exact(scaled, Loss(kind), {.risk = {.alpha = 0.4}});
    EXPECT_EQ(other.status, ExactStatus::optimal);
    EXPECT_NEAR(other.certificate.lower, one.certificate.lower, 2e-6 * one.certificate.lower);
    EXPECT_NEAR(other.model.weights(0)[0] * 0x1p40, one.model.weights(0)[0], 1e-2);
  }
}

TEST(DegenerateProblems, targets_far_from_0_are_fitted_to_their_spread) {
  Rng rng(4);
  for (const LossKind kind : {LossKind::squared, LossKind::absolute, LossKind::pinball}) {
    Dataset data = random_data(Task::regression, {.rows = 60, .features = 2}, rng);
    const ExactResult near = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.3}});
    for (double& y : data.targets) y += 1e8;
    const ExactResult far = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.3}});
    EXPECT_EQ(far.status, ExactStatus::optimal);
    EXPECT_NEAR(far.certificate.upper, near.certificate.upper, 3e-6 * near.certificate.upper);
  }
}

// The bound of one law lies below every model's CVaR, so also below that of models found otherwise.
TEST(DegenerateProblems, bounds_stay_below_models_of_other_tolerances) {
  for (int seed = 0; seed < 60; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const Problem problem = raw_features(LossKind::squared, {10, 1e6F, true}, rng);
    const auto solve = [&](double tolerance) {
      return solve_exact(
          problem.data, problem.loss,
          {.risk = {.alpha = problem.alpha}, .ridge = problem.ridge, .tolerance = tolerance});
    };
    const double best = std::min(solve(1e-3).certificate.upper, solve(1e-9).certificate.upper);
    EXPECT_LE(solve(1e-6).certificate.lower, best * (1 + 1e-9)) << seed;
  }
}

TEST(DegenerateProblems, of_many_optima_the_one_without_weights_is_returned) {
  // Equal rows in both classes: no model does better than even chances in the worst half.
  Rng rng(5);
  Dataset data = random_data(Task::binary, {.rows = 40, .features = 3}, rng);
  const Dataset once = data;
  for (std::size_t i = 0; i < once.rows; ++i) {
    data.dense.insert(data.dense.end(), once.dense.begin() + static_cast<std::ptrdiff_t>(3 * i),
                      once.dense.begin() + static_cast<std::ptrdiff_t>(3 * (i + 1)));
    data.targets.push_back(1 - once.targets[i]);
  }
  data.rows = data.targets.size();
  for (const LossKind kind : {LossKind::logistic, LossKind::hinge, LossKind::softmax}) {
    for (const double alpha : {0.1, 0.5, 1.0}) {
      const ExactResult found = solve_exact(data, Loss(kind), {.risk = {.alpha = alpha}});
      EXPECT_EQ(found.status, ExactStatus::optimal);
      EXPECT_EQ(found.norm, 0) << kLossNames.of(kind) << alpha;
      EXPECT_EQ(found.certificate.upper, kind == LossKind::hinge ? 1.0 : std::log(2.0));
    }
  }
}

}  // namespace
}  // namespace adacvar
