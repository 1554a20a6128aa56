#include <adacvar/solver/certificate.hpp>

#include "support/expect_words.hpp"
#include "support/small_problems.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace adacvar {
namespace {

using support::as_sparse;
using support::objective;
using support::random_data;
using support::Shape;
using support::task_of;

Loss make_loss(LossKind kind, Rng& rng) {
  return Loss(kind, 0.3 + 1.5 * rng.uniform(), 0.1 + 0.8 * rng.uniform());
}

// Positive numbers of very different size, or many zeros; they add up to 1 or to anything.
std::vector<double> any_distribution(std::size_t rows, double alpha, Rng& rng) {
  std::vector<double> q(rows);
  const auto kind = rng.below(5);
  for (double& weight : q) {
    weight = kind == 0 ? 1.0 : std::exp(10 * rng.uniform() * (kind == 1 ? 1 : 0.2));
    if (kind > 2 && rng.below(3) == 0) weight = 0;
  }
  if (*std::ranges::max_element(q) == 0) q[0] = 1;
  const double sum = std::accumulate(q.begin(), q.end(), 0.0);
  for (double& weight : q) weight /= sum;
  const double cap = 1 / std::max(1.0, alpha * static_cast<double>(rows));
  if (kind == 2) {  // mass above the cap is cut: adds up to less than 1
    for (double& weight : q) weight = std::min(weight, cap);
  }
  if (kind == 4) {  // far outside
    for (double& weight : q) weight *= 100;
  }
  return q;
}

double any_alpha(std::size_t rows, Rng& rng) {
  const std::array choices{1.0,
                           0.5,
                           0.1,
                           0.03,
                           0.5 / static_cast<double>(rows),
                           1.0 / static_cast<double>(rows),
                           0.01 + 0.98 * rng.uniform()};
  return choices.at(rng.below(choices.size()));
}

LinearModel any_model(const Dataset& data, const Loss& loss, Rng& rng) {
  LinearModel model(data.features, loss.outputs(data.class_names.size()));
  for (double& parameter : model.parameters()) parameter = support::normal(rng);
  return model;
}

double norm_of(const LinearModel& model) {
  double squares = 0;
  for (const double parameter : model.parameters()) squares += parameter * parameter;
  return std::sqrt(squares);
}

/// A random problem; every second one has sparse data.
struct Case {
  Dataset data;
  double alpha;
  double ridge;
  Loss loss;
};

Case any_case(LossKind kind, Rng& rng) {
  const Task task = task_of(kind);
  const Shape shape{.rows = 1 + rng.below(14),
                    .features = 1 + rng.below(3),
                    .classes = task == Task::multiclass ? 2 + rng.below(3) : 2,
                    .noise = rng.below(3) == 0 ? 0.01 : 1.0};
  Case made{random_data(task, shape, rng), 0, 0, make_loss(kind, rng)};
  if (rng.below(2) == 0) made.data = as_sparse(made.data, true, rng);
  if (rng.below(4) == 0 && task == Task::regression) {
    for (double& target : made.data.targets) target /= 0.5;
  }
  made.alpha = any_alpha(shape.rows, rng);
  made.ridge = rng.below(2) == 0 ? 0.0 : std::exp(6 * rng.uniform() - 4);
  return made;
}

TEST(Certificate, never_exceeds_the_optimum_whatever_the_distribution) {
  Rng rng(1);
  for (const LossKind kind : support::kAllLosses) {
    double tightest = std::numeric_limits<double>::infinity();
    for (int problem = 0; problem < 400; ++problem) {
      const Case made = any_case(kind, rng);
      const ExactResult best = solve_exact(
          made.data, made.loss,
          {.risk = {.alpha = made.alpha}, .ridge = made.ridge, .tolerance = 1e-10, .threads = 1});
      // No model is below the optimum, so what the best model has is enough to compare with.
      const double known = objective(best.model, made.data, made.loss, made.alpha, made.ridge);
      ASSERT_NEAR(best.certificate.upper, known, 1e-12 * (1 + known));
      ASSERT_LE(best.certificate.lower, known * (1 + 1e-14)) << kLossNames.of(kind) << problem;
      for (int trial = 0; trial < 3; ++trial) {
        const std::vector<double> q = any_distribution(made.data.rows, made.alpha, rng);
        const LinearModel model = any_model(made.data, made.loss, rng);
        const Certificate found =
            certify(model, made.data, made.loss, q,
                    {.risk = {.alpha = made.alpha}, .ridge = made.ridge, .threads = 1});
        ASSERT_GE(found.lower, 0);
        ASSERT_GE(found.radius, 100);
        if (norm_of(best.model) > found.radius) continue;
        ASSERT_LE(found.lower, known * (1 + 1e-14))
            << kLossNames.of(kind) << " problem " << problem << " alpha " << made.alpha << " ridge "
            << made.ridge;
        ASSERT_DOUBLE_EQ(found.upper,
                         objective(model, made.data, made.loss, made.alpha, made.ridge));
      }
      if (known > 1e-6) {
        const Certificate own =
            certify(best.model, made.data, made.loss, best.q,
                    {.risk = {.alpha = made.alpha}, .ridge = made.ridge, .threads = 1});
        ASSERT_LE(own.lower, known * (1 + 1e-14)) << own.lower / known - 1;
        if (best.norm < 1e9) tightest = std::min(tightest, own.lower / known);
      }
    }
    // The distribution that solves the problem gives back its bound. Where classes are half
    // separable the model is on its way to infinity, and the bound found from there less tight, or
    // of no use.
    EXPECT_GT(tightest, kind == LossKind::softmax ? 0.99 : 1 - 1e-4) << kLossNames.of(kind);
  }
}

/// The same problem twice: as it is, with a feature that is the sum of two others but for rounding,
/// and with that rounding, times 2^24, in its place. A float holds the rounding of a sum exactly,
/// so both have the same models, and the second can be solved like any other.
struct Twins {
  Case made;
  Dataset apart;
};

Twins any_twins(LossKind kind, Rng& rng) {
  Twins twins{any_case(kind, rng), {}};
  twins.made.data = random_data(task_of(kind),
                                {.rows = 4 + rng.below(40),
                                 .features = 3,
                                 .classes = kind == LossKind::softmax ? 2 + rng.below(2) : 2},
                                rng);
  twins.apart = twins.made.data;
  for (std::size_t i = 0; i < twins.apart.rows; ++i) {
    float* const row = &twins.made.data.dense[3 * i];
    row[2] = row[0] + row[1];
    const double error =
        static_cast<double>(row[2]) - (static_cast<double>(row[0]) + static_cast<double>(row[1]));
    twins.apart.dense[3 * i + 2] = static_cast<float>(error * 0x1p24);
  }
  if (rng.below(3) == 0) twins.made.data = as_sparse(twins.made.data, false, rng);
  return twins;
}

/// The model of the data as it is with the scores of one of the twin.
LinearModel together(const LinearModel& apart) {
  LinearModel model = apart;
  for (std::size_t first = 0; first < model.parameters().size(); first += 4) {
    double* const weights = &model.parameters()[first];
    weights[2] *= 0x1p24;
    weights[0] -= weights[2];
    weights[1] -= weights[2];
  }
  return model;
}

LinearModel between(const LinearModel& one, const LinearModel& other, double share) {
  LinearModel model = one;
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    model.parameters()[i] += share * (other.parameters()[i] - one.parameters()[i]);
  }
  return model;
}

// Large weights can fit the rounding: models as far towards that as the radius allows are not below
// the bound, and the bound allows for little more.
TEST(Certificate, holds_within_its_radius_where_features_are_collinear_up_to_rounding) {
  Rng rng(11);
  for (const LossKind kind : support::kAllLosses) {
    double widest = 0;
    int beyond = 0;
    for (int problem = 0; problem < 150; ++problem) {
      const Twins twins = any_twins(kind, rng);
      const Case& made = twins.made;
      SCOPED_TRACE(testing::Message()
                   << kLossNames.of(kind) << " problem " << problem << " alpha " << made.alpha);
      const LinearModel fit =
          together(solve_exact(twins.apart, made.loss,
                               {.risk = {.alpha = made.alpha}, .tolerance = 1e-9, .threads = 1})
                       .model);
      const ExactResult found = solve_exact(
          made.data, made.loss, {.risk = {.alpha = made.alpha}, .tolerance = 1e-9, .threads = 1});
      const LinearModel any = any_model(made.data, made.loss, rng);
      const Certificate by_distribution =
          certify(any, made.data, made.loss, any_distribution(made.data.rows, made.alpha, rng),
                  {.risk = {.alpha = made.alpha}, .threads = 1});
      for (const double share : {1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0}) {
        const LinearModel model = between(found.model, fit, share);
        const double here = objective(model, made.data, made.loss, made.alpha, 0);
        // Scores that nearly cancel are rounded.
        const double allowed = here * (1 + 1e-12) + 1e-15 * norm_of(model);
        if (norm_of(model) <= found.certificate.radius) {
          ASSERT_LE(found.certificate.lower, allowed) << share;
        } else if (here < found.certificate.lower) {
          ++beyond;
          break;
        }
        if (norm_of(model) <= by_distribution.radius) {
          ASSERT_LE(by_distribution.lower, allowed) << share;
        }
      }
      const Certificate& c = found.certificate;
      // Models of half separable classes go far, and the radius with them.
      if (c.upper > 0.1 && c.radius < 3000) {
        widest = std::max(widest, c.relative_gap());
      }
    }
    // The rounding is worth fitting, so that there is something to find.
    EXPECT_GT(beyond, 20) << kLossNames.of(kind);
    EXPECT_LE(widest, 1e-3) << kLossNames.of(kind);
  }
}

// A small ball: its border is where the least risk is.
TEST(Certificate, holds_within_a_radius_that_is_given) {
  Rng rng(14);
  for (const LossKind kind : support::kAllLosses) {
    int enlarged = 0;
    for (int problem = 0; problem < 60; ++problem) {
      const Case made = any_case(kind, rng);
      const double radius = std::exp(5 * rng.uniform() - 3);
      const ExactOptions options{
          .risk = {.alpha = made.alpha}, .ridge = made.ridge, .radius = radius, .threads = 1};
      const ExactResult found = solve_exact(made.data, made.loss, options);
      // A ball that does not hold the solution is enlarged until it does.
      const double used = found.certificate.radius;
      ASSERT_GE(used, radius);
      if (used > radius) ++enlarged;
      for (int trial = 0; trial < 40; ++trial) {
        LinearModel model = any_model(made.data, made.loss, rng);
        if (trial % 2 == 0) model = between(found.model, model, 0.01 * rng.uniform());
        const double factor = std::min(1.0, used / norm_of(model));
        for (double& parameter : model.parameters()) parameter *= factor * (1 - 1e-15);
        ASSERT_LE(found.certificate.lower,
                  objective(model, made.data, made.loss, made.alpha, made.ridge) * (1 + 1e-14))
            << kLossNames.of(kind) << " problem " << problem << " radius " << radius;
      }
    }
    EXPECT_GT(enlarged, 5) << kLossNames.of(kind);
  }
}

// By hand: with x twice and ridge r the optimum is that of w1 = w2 = 1/2 - r/8 + ..., r/4 (1 - r/4)
// + 5e-9 up to r^3. From w = (1, 0) next to nothing moves the weights towards each other.
TEST(Certificate, copies_pay_for_a_tiny_ridge_together) {
  Dataset data;
  data.rows = 4;
  data.features = 2;
  data.dense = {1, 1, -1, -1, 0, 0, 0, 0};
  data.targets = {1, -1, 1e-4, -1e-4};
  const std::vector<double> q(4, 0.25);
  LinearModel model(2, 1);
  model.parameters()[0] = 1;
  const Loss loss(LossKind::squared);
  for (const double ridge : {1e-8, 1e-9, 1e-12, 1e-15}) {
    const double optimum = ridge / 4 - ridge * ridge / 16 + 5e-9;
    const double by_distribution =
        certify(model, data, loss, q, {.risk = {.alpha = 1}, .ridge = ridge, .threads = 1}).lower;
    EXPECT_LE(by_distribution, optimum * (1 + 1e-12)) << ridge;
    EXPECT_GE(by_distribution, 4.9e-9) << ridge;
    const std::atomic<bool> at_once = true;
    const ExactResult stopped = solve_exact(
        data, loss, {.risk = {.alpha = 1}, .ridge = ridge, .threads = 1, .stop = &at_once}, &model);
    EXPECT_LE(stopped.certificate.lower, optimum * (1 + 1e-12)) << ridge;
  }
}

TEST(Certificate, laws_of_any_size_are_taken) {
  Rng rng(13);
  for (const LossKind kind : support::kAllLosses) {
    const Dataset data = random_data(task_of(kind), {.rows = 12, .features = 2}, rng);
    const LinearModel model(2, Loss(kind).outputs(data.class_names.size()));
    const double expected = certify(model, data, Loss(kind), std::vector<double>(12, 1.0 / 12),
                                    {.risk = {.alpha = 0.5}})
                                .lower;
    for (const double size : {1e307, 1e3}) {
      const double found =
          certify(model, data, Loss(kind), std::vector<double>(12, size), {.risk = {.alpha = 0.5}})
              .lower;
      EXPECT_NEAR(found, expected, 1e-8 * expected) << kLossNames.of(kind);
    }
    // One that adds up to next to nothing bounds by next to nothing.
    EXPECT_LE(
        certify(model, data, Loss(kind), std::vector<double>(12, 1e-300), {.risk = {.alpha = 0.5}})
            .lower,
        1e-290);
  }
}

// A column four times over, with a ridge, is the same problem as twice that column once.
TEST(Certificate, never_exceeds_the_optimum_of_copies_with_a_tiny_ridge) {
  Rng rng(12);
  for (const LossKind kind : support::kAllLosses) {
    for (int problem = 0; problem < 60; ++problem) {
      Case made = any_case(kind, rng);
      const Dataset once = random_data(task_of(kind),
                                       {.rows = 4 + rng.below(20),
                                        .features = 1,
                                        .classes = kind == LossKind::softmax ? 3U : 2U},
                                       rng);
      made.data = once;
      made.data.features = 4;
      made.data.dense.clear();
      Dataset doubled = once;
      for (float& x : doubled.dense) {
        made.data.dense.insert(made.data.dense.end(), 4, x);
        x *= 2;
      }
      const double ridge = std::array{1e-15, 1e-12, 1e-9, 1e-8, 1.1e-8, 1e-3}.at(rng.below(6));
      const ExactOptions exactly{
          .risk = {.alpha = made.alpha}, .ridge = ridge, .tolerance = 1e-9, .threads = 1};
      const ExactResult best = solve_exact(doubled, made.loss, exactly);
      const double known = best.certificate.upper * (1 + 1e-12);
      LinearModel model = any_model(made.data, made.loss, rng);
      for (double& parameter : model.parameters()) parameter *= 1e4;
      // From there the copies' weights need not meet: nothing but the ridge tells them apart.
      const CertifyOptions options{.risk = {.alpha = made.alpha}, .ridge = ridge, .threads = 1};
      for (const std::vector<double>& q :
           {best.q, any_distribution(made.data.rows, made.alpha, rng)}) {
        ASSERT_LE(certify(model, made.data, made.loss, q, options).lower, known)
            << kLossNames.of(kind) << problem << " ridge " << ridge;
      }
      ASSERT_LE(solve_exact(made.data, made.loss, exactly, &model).certificate.lower, known)
          << kLossNames.of(kind) << problem << " ridge " << ridge;
    }
  }
}

/// Least value of a convex function of one number, by golden section.
template <class Function>
double least_of(const Function& function, double low, double high) {
  const double ratio = 0.5 * (std::sqrt(5.0) - 1);
  double left = high - ratio * (high - low);
  double right = low + ratio * (high - low);
  double at_left = function(left);
  double at_right = function(right);
  for (int step = 0; step < 120; ++step) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = function(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = function(right);
    }
  }
  return std::min(at_left, at_right);
}

TEST(Certificate, holds_against_a_search_by_hand_in_one_feature) {
  Rng rng(2);
  for (const LossKind kind : support::kAllLosses) {
    if (kind == LossKind::softmax) continue;  // more than two parameters
    for (int problem = 0; problem < 25; ++problem) {
      Dataset data = random_data(task_of(kind), {.rows = 3 + rng.below(8), .features = 1}, rng);
      const Loss loss = make_loss(kind, rng);
      const double alpha = any_alpha(data.rows, rng);
      const double ridge = 0.01 + rng.uniform();
      LinearModel model(1, 1);
      const double searched = least_of(
          [&](double weight) {
            return least_of(
                [&](double intercept) {
                  model.parameters()[0] = weight;
                  model.parameters()[1] = intercept;
                  return objective(model, data, loss, alpha, ridge);
                },
                -20, 20);
          },
          -20, 20);
      const ExactResult found = solve_exact(
          data, loss, {.risk = {.alpha = alpha}, .ridge = ridge, .tolerance = 1e-10, .threads = 1});
      EXPECT_LE(found.certificate.lower, searched * (1 + 1e-14));
      EXPECT_NEAR(found.certificate.upper, searched, 1e-8 * (1 + searched))
          << kLossNames.of(kind) << " problem " << problem << " alpha " << alpha;
    }
  }
}

// At alpha = 1 and ridge 0 the optimum of the squared loss is known in closed form.
TEST(Certificate, holds_and_is_tight_against_least_squares) {
  Rng rng(3);
  for (int problem = 0; problem < 200; ++problem) {
    const Dataset data = random_data(Task::regression, {.rows = 20, .features = 3}, rng);
    Eigen::MatrixXd x(20, 4);
    Eigen::VectorXd y(20);
    for (Eigen::Index i = 0; i < 20; ++i) {
      for (Eigen::Index f = 0; f < 3; ++f) {
        x(i, f) = static_cast<double>(data.dense[static_cast<std::size_t>(3 * i + f)]);
      }
      x(i, 3) = 1;
      y(i) = data.targets[static_cast<std::size_t>(i)];
    }
    const Eigen::VectorXd theta = x.colPivHouseholderQr().solve(y);
    const double optimum = (x * theta - y).squaredNorm() / 20;
    const Certificate found =
        certify(LinearModel(3, 1), data, Loss(LossKind::squared), std::vector<double>(20, 0.05),
                {.risk = {.alpha = 1}, .threads = 1});
    EXPECT_LE(found.lower, optimum * (1 + 1e-14));
    EXPECT_GE(found.lower, optimum * (1 - 1e-10));
  }
}

TEST(Certificate, does_not_depend_on_the_number_of_threads) {
  Rng rng(4);
  const Dataset data = random_data(Task::regression, {.rows = 20'000, .features = 3}, rng);
  std::vector<double> q(data.rows);
  for (double& weight : q) weight = rng.uniform() / 10'000;
  const auto bound = [&](unsigned threads) {
    return certify(LinearModel(3, 1), data, Loss(LossKind::huber), q,
                   {.risk = {.alpha = 0.3}, .threads = threads});
  };
  const Certificate one = bound(1);
  const Certificate three = bound(3);
  EXPECT_EQ(one.lower, three.lower);
  EXPECT_EQ(one.upper, three.upper);
}

TEST(Certificate, relative_gap_needs_a_positive_bound) {
  EXPECT_TRUE(std::isinf(Certificate{.lower = 0, .upper = 1}.relative_gap()));
  EXPECT_DOUBLE_EQ((Certificate{.lower = 2, .upper = 3}.relative_gap()), 0.5);
  EXPECT_EQ((Certificate{.lower = 2, .upper = 2 - 1e-15}.relative_gap()), 0.0);
}

TEST(Certificate, bad_input_is_refused_in_words) {
  Rng rng(5);
  const Dataset data = random_data(Task::regression, {.rows = 2, .features = 1}, rng);
  const Loss loss(LossKind::squared);
  const LinearModel model(1, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using support::expect_words;
  const auto call = [&](const LinearModel& m, const std::vector<double>& q, double alpha) {
    return [=, &data, &loss] { (void)certify(m, data, loss, q, {.risk = {.alpha = alpha}}); };
  };
  expect_words<OptionError>(call(model, {1}, 0.5), "q has 1 entries, the data 2 rows");
  expect_words<OptionError>(call(model, {1, -1}, 0.5), "q[1] = -1 is not a probability");
  expect_words<OptionError>(call(model, {1, nan}, 0.5), "q[1] = nan is not a probability");
  expect_words<OptionError>(call(model, {0, 0}, 0.5), "q is 0 for every row");
  expect_words<OptionError>(call(model, {1, 0}, 0), "alpha = 0 is outside (0, 1]");
  expect_words<OptionError>(call(LinearModel(2, 1), {1, 0}, 0.5),
                            "the model to start from has 3 parameters, 2 are needed");
}

}  // namespace
}  // namespace adacvar
