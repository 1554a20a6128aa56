#include <adacvar/solver/exact_cvar.hpp>

#include "support/expect_words.hpp"
#include "support/small_problems.hpp"

#include <adacvar/base/error.hpp>
#include "data/named_sets.hpp"
#include "data/prepare_data.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::objective;
using support::random_data;
using support::task_of;

Eigen::MatrixXd features_of(const Dataset& data) {
  const auto rows = static_cast<Eigen::Index>(data.rows);
  const auto width = static_cast<Eigen::Index>(data.features);
  Eigen::MatrixXd x(rows, width + 1);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index f = 0; f < width; ++f) {
      x(i, f) = static_cast<double>(data.dense[static_cast<std::size_t>(i * width + f)]);
    }
    x(i, width) = 1;
  }
  return x;
}

Eigen::VectorXd targets_of(const Dataset& data) {
  Eigen::VectorXd y(static_cast<Eigen::Index>(data.rows));
  for (std::size_t i = 0; i < data.rows; ++i) {
    y(static_cast<Eigen::Index>(i)) = data.targets[i];
  }
  return y;
}

Dataset column_of(const std::vector<double>& targets, Task task = Task::regression) {
  Dataset data;
  data.rows = targets.size();
  data.features = 1;
  data.dense.assign(data.rows, 0.0F);
  data.targets = targets;
  data.task = task;
  if (task == Task::binary) data.class_names = {"0", "1"};
  return data;
}

void expect_parameters(const ExactResult& result, const Eigen::VectorXd& expected, double within) {
  const auto found = result.model.parameters();
  ASSERT_EQ(found.size(), static_cast<std::size_t>(expected.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected(static_cast<Eigen::Index>(i)), within) << i;
  }
}

void expect_finite(const ExactResult& result) {
  EXPECT_TRUE(result.model.is_finite());
  EXPECT_TRUE(std::isfinite(result.certificate.lower));
  EXPECT_TRUE(std::isfinite(result.certificate.upper));
  EXPECT_TRUE(std::isfinite(result.norm));
  for (const double q : result.q) EXPECT_GE(q, 0);
}

void expect_optimal(const ExactResult& result, double tolerance) {
  expect_finite(result);
  EXPECT_EQ(result.status, ExactStatus::optimal);
  EXPECT_LE(result.certificate.relative_gap(), tolerance);
}

TEST(ExactCvar, at_alpha_one_is_least_squares) {
  Rng rng(1);
  Dataset data = random_data(Task::regression, {.rows = 300, .features = 6}, rng);
  for (double& target : data.targets) target = (target - 0.3) / 1.7;
  const ExactResult found = solve_exact(data, Loss(LossKind::squared), {.risk = {.alpha = 1}});
  expect_optimal(found, 1e-6);
  const Eigen::VectorXd expected = features_of(data).colPivHouseholderQr().solve(targets_of(data));
  expect_parameters(found, expected, 1e-8);
}

TEST(ExactCvar, at_alpha_one_with_ridge_is_ridge_regression) {
  Rng rng(2);
  const Dataset data = random_data(Task::regression, {.rows = 80, .features = 4}, rng);
  const double ridge = 0.7;
  const ExactResult found =
      solve_exact(data, Loss(LossKind::squared), {.risk = {.alpha = 1}, .ridge = ridge});
  expect_optimal(found, 1e-6);
  const Eigen::MatrixXd x = features_of(data);
  Eigen::MatrixXd matrix = 2.0 / 80 * x.transpose() * x;
  for (Eigen::Index i = 0; i < 4; ++i) matrix(i, i) += ridge;
  expect_parameters(found, matrix.ldlt().solve(2.0 / 80 * x.transpose() * targets_of(data)), 1e-8);
}

TEST(ExactCvar, at_alpha_one_is_logistic_regression) {
  Rng rng(3);
  const Dataset data = random_data(Task::binary, {.rows = 300, .features = 5}, rng);
  for (const double ridge : {0.0, 0.1}) {
    const ExactResult found =
        solve_exact(data, Loss(LossKind::logistic), {.risk = {.alpha = 1}, .ridge = ridge});
    expect_optimal(found, 1e-6);
    // Newton's method written out.
    const Eigen::MatrixXd x = features_of(data);
    const Eigen::VectorXd y = targets_of(data);
    Eigen::VectorXd theta = Eigen::VectorXd::Zero(6);
    for (int step = 0; step < 50; ++step) {
      const Eigen::ArrayXd p = 1 / (1 + (-(x * theta).array()).exp());
      Eigen::VectorXd gradient = x.transpose() * (p - y.array()).matrix() / 300;
      Eigen::MatrixXd hessian = x.transpose() * (p * (1 - p)).matrix().asDiagonal() * x / 300;
      for (Eigen::Index i = 0; i < 5; ++i) {
        gradient(i) += ridge * theta(i);
        hessian(i, i) += ridge;
      }
      theta -= hessian.ldlt().solve(gradient);
    }
    expect_parameters(found, theta, 1e-8);
  }
}

// Two classes: the difference of the two outputs is the logistic model.
TEST(ExactCvar, softmax_of_two_classes_is_logistic) {
  Rng rng(4);
  const Dataset data = random_data(Task::binary, {.rows = 120, .features = 3}, rng);
  for (const double alpha : {1.0, 0.7}) {
    const ExactOptions options{.risk = {.alpha = alpha}, .tolerance = 1e-9};
    const ExactResult logistic = solve_exact(data, Loss(LossKind::logistic), options);
    const ExactResult softmax = solve_exact(data, Loss(LossKind::softmax), options);
    expect_optimal(logistic, 1e-9);
    expect_optimal(softmax, 1e-9);
    EXPECT_NEAR(logistic.certificate.upper, softmax.certificate.upper, 1e-8);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(softmax.model.parameters()[4 + i] - softmax.model.parameters()[i],
                  logistic.model.parameters()[i], 1e-3);
    }
  }
}

TEST(ExactCvar, every_loss_is_certified_at_every_alpha) {
  Rng rng(5);
  for (const LossKind kind : support::kAllLosses) {
    const std::size_t classes = kind == LossKind::softmax ? 4 : 2;
    const Dataset data =
        random_data(task_of(kind), {.rows = 150, .features = 3, .classes = classes}, rng);
    const Loss loss(kind, 0.5, 0.3);
    for (const double alpha : {0.001, 1.0 / 150, 0.1, 0.5, 0.9, 149.0 / 150, 149.5 / 150, 1.0}) {
      for (const double ridge : {0.0, 0.01}) {
        const ExactResult found =
            solve_exact(data, loss, {.risk = {.alpha = alpha}, .ridge = ridge, .tolerance = 1e-8});
        SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " alpha " << alpha << " ridge "
                                        << ridge << " gap " << found.certificate.relative_gap());
        expect_optimal(found, 1e-8);
        EXPECT_NEAR(found.certificate.upper, objective(found.model, data, loss, alpha, ridge),
                    1e-12);
        double sum = 0;
        for (const double q : found.q) sum += q;
        EXPECT_NEAR(sum, 1, 1e-6);
      }
    }
  }
}

// Only the intercept counts: its optimum is a statistic of the targets.
TEST(ExactCvar, constant_models_are_known_statistics) {
  const Dataset data = column_of({1, 2, 4, 8, 16, 32, 64});
  const ExactOptions mean{.risk = {.alpha = 1}, .tolerance = 1e-10};
  const auto intercept = [](const ExactResult& result) { return result.model.intercept(0); };
  EXPECT_NEAR(intercept(solve_exact(data, Loss(LossKind::squared), mean)), 127.0 / 7, 1e-6);
  EXPECT_NEAR(intercept(solve_exact(data, Loss(LossKind::absolute), mean)), 8, 1e-6);
  EXPECT_NEAR(intercept(solve_exact(data, Loss(LossKind::pinball, 1, 0.2), mean)), 2, 1e-6);
  EXPECT_NEAR(intercept(solve_exact(data, Loss(LossKind::pinball, 1, 0.8), mean)), 32, 1e-6);
  // alpha near 0 is the maximum: the middle of the range for both.
  const ExactOptions worst{.risk = {.alpha = 0.01}, .tolerance = 1e-10};
  for (const LossKind kind : {LossKind::squared, LossKind::absolute}) {
    const ExactResult found = solve_exact(data, Loss(kind), worst);
    expect_optimal(found, 1e-10);
    EXPECT_NEAR(intercept(found), 32.5, 1e-5);
    const double expected = kind == LossKind::squared ? 31.5 * 31.5 : 31.5;
    EXPECT_NEAR(found.certificate.upper, expected, 1e-7 * expected);
  }
  // Hinge, 2 of 3 rows in class 1: score 1 loses 2 on the other one.
  const ExactResult hinge =
      solve_exact(column_of({1, 1, 0}, Task::binary), Loss(LossKind::hinge), mean);
  expect_optimal(hinge, 1e-10);
  EXPECT_NEAR(hinge.certificate.upper, 2.0 / 3, 1e-8);
}

TEST(ExactCvar, one_row_is_fitted) {
  for (const LossKind kind : support::kAllLosses) {
    Rng rng(6);
    const Dataset data = random_data(task_of(kind), {.rows = 1, .features = 2, .classes = 3}, rng);
    for (const double alpha : {0.1, 1.0}) {
      const ExactResult found = solve_exact(data, Loss(kind), {.risk = {.alpha = alpha}});
      SCOPED_TRACE(kLossNames.of(kind));
      expect_finite(found);
      const bool far = kind == LossKind::logistic || kind == LossKind::softmax;
      EXPECT_EQ(found.status, far ? ExactStatus::not_attained : ExactStatus::optimal);
      EXPECT_LE(found.certificate.upper, 1e-11);
    }
  }
}

TEST(ExactCvar, data_without_features_has_intercepts) {
  Dataset data = column_of({1, 2, 6});
  data.features = 0;
  data.dense.clear();
  const ExactResult found =
      solve_exact(data, Loss(LossKind::squared), {.risk = {.alpha = 1}, .tolerance = 1e-10});
  expect_optimal(found, 1e-10);
  EXPECT_NEAR(found.model.intercept(0), 3, 1e-8);
}

TEST(ExactCvar, a_perfect_fit_has_optimum_zero) {
  Rng rng(7);
  for (const LossKind kind :
       {LossKind::squared, LossKind::absolute, LossKind::huber, LossKind::pinball}) {
    for (const std::size_t rows : {3, 50}) {  // 3: as many as parameters
      const Dataset data =
          random_data(Task::regression, {.rows = rows, .features = 2, .noise = 0}, rng);
      for (const double alpha : {0.1, 0.5, 1.0}) {
        const ExactResult found = solve_exact(data, Loss(kind), {.risk = {.alpha = alpha}});
        SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << rows << " alpha " << alpha);
        expect_finite(found);
        EXPECT_EQ(found.status, ExactStatus::optimal);
        EXPECT_LE(found.certificate.upper, 1e-11);
        EXPECT_LE(found.certificate.lower, 1e-11);
      }
    }
  }
}

TEST(ExactCvar, targets_that_are_all_zero_end_at_once) {
  for (const LossKind kind :
       {LossKind::squared, LossKind::absolute, LossKind::huber, LossKind::pinball}) {
    for (const double alpha : {0.3, 1.0}) {
      const ExactResult found =
          solve_exact(column_of({0, 0, 0, 0, 0}), Loss(kind), {.risk = {.alpha = alpha}});
      expect_finite(found);
      EXPECT_EQ(found.status, ExactStatus::optimal);
      EXPECT_EQ(found.certificate.upper, 0);
    }
  }
}

TEST(ExactCvar, rank_deficient_features_do_no_harm) {
  Rng rng(8);
  for (const LossKind kind : support::kAllLosses) {
    const std::size_t classes = kind == LossKind::softmax ? 3 : 2;
    const Dataset one =
        random_data(task_of(kind), {.rows = 60, .features = 1, .classes = classes}, rng);
    Dataset more = one;  // the column three times, and one that is constant
    more.features = 4;
    more.dense.clear();
    for (const float x : one.dense) more.dense.insert(more.dense.end(), {x, x, 2.5F, -2 * x});
    for (const double alpha : {0.2, 1.0}) {
      const ExactOptions options{.risk = {.alpha = alpha}, .tolerance = 1e-7};
      const ExactResult alone = solve_exact(one, Loss(kind), options);
      const ExactResult found = solve_exact(more, Loss(kind), options);
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " alpha " << alpha);
      expect_optimal(found, 1e-7);
      EXPECT_NEAR(found.certificate.upper, alone.certificate.upper, 3e-7 * alone.certificate.upper);
    }
  }
}

// Two categories of three and four levels and a number.
TEST(ExactCvar, reference_levels_get_no_weight_and_cost_nothing) {
  Rng rng(4);
  for (const Task task : {Task::regression, Task::binary}) {
    Dataset data = random_data(task, {.rows = 300, .features = 8}, rng);
    for (std::size_t i = 0; i < data.rows; ++i) {
      float* const row = data.dense.data() + i * 8;
      std::fill_n(row + 1, 7, 0.0F);
      row[1 + rng.below(3)] = 1;
      row[4 + rng.below(4)] = 1;
    }
    const Loss loss = Loss::of_task(task);
    const ExactOptions options{.risk = {.alpha = 0.3}, .tolerance = 1e-8};
    const ExactResult found = solve_exact(data, loss, options);
    data.reference_levels = {1, 5};  // any level of each
    const ExactResult with = solve_exact(data, loss, options);
    EXPECT_EQ(with.model.weights(0)[1], 0);
    EXPECT_EQ(with.model.weights(0)[5], 0);
    EXPECT_EQ(with.status, ExactStatus::optimal);
    EXPECT_LE(with.certificate.relative_gap(), 1e-8);
    EXPECT_NEAR(with.certificate.upper, found.certificate.upper, 2e-8 * found.certificate.upper);
    data.reference_levels = {8};
    support::expect_words<OptionError>([&] { (void)solve_exact(data, loss, options); },
                                       "reference level 8");
  }
}

TEST(ExactCvar, separable_classes_are_told) {
  Rng rng(9);
  for (const LossKind kind : {LossKind::logistic, LossKind::softmax, LossKind::hinge}) {
    const Dataset data = random_data(Task::binary, {.rows = 60, .features = 2, .noise = 0}, rng);
    for (const double alpha : {0.02, 0.3, 1.0}) {
      const ExactResult found = solve_exact(data, Loss(kind), {.risk = {.alpha = alpha}});
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " alpha " << alpha);
      expect_finite(found);
      EXPECT_EQ(found.status,
                kind == LossKind::hinge ? ExactStatus::optimal : ExactStatus::not_attained);
      EXPECT_LE(found.certificate.upper, 1e-11);
      EXPECT_GT(found.norm, 1);
      // With ridge there is an optimum.
      expect_optimal(solve_exact(data, Loss(kind), {.risk = {.alpha = alpha}, .ridge = 1e-3}),
                     1e-6);
    }
  }
}

// No model attains the least risk, and many separate the classes: which one comes back does not
// depend on the order of the rows, nor on whether they are repeated or weighted.
TEST(ExactCvar, separable_classes_have_one_model) {
  Dataset data = column_of({0, 1, 0, 1}, Task::binary);
  data.features = 2;
  data.dense = {1, 3, 2, 1, 3, 3, 4, 1};
  Dataset turned = column_of({1, 0, 1, 0}, Task::binary);
  turned.features = 2;
  turned.dense = {4, 1, 3, 3, 2, 1, 1, 3};
  Dataset repeated = column_of({1, 0, 0, 1, 1, 0, 0, 1}, Task::binary);
  repeated.features = 2;
  repeated.dense = {2, 1, 1, 3, 3, 3, 4, 1, 2, 1, 3, 3, 1, 3, 4, 1};
  Dataset unequal = data;
  unequal.weights = {1, 2, 3, 1};
  Dataset unequal_repeated = column_of({0, 1, 0, 0, 0, 1, 1}, Task::binary);
  unequal_repeated.features = 2;
  unequal_repeated.dense = {3, 3, 2, 1, 3, 3, 1, 3, 3, 3, 4, 1, 2, 1};
  const auto parameters = [](const Dataset& rows, LossKind kind, double alpha) {
    const ExactResult found = solve_exact(rows, Loss(kind), {.risk = {.alpha = alpha}});
    EXPECT_EQ(found.status, ExactStatus::not_attained);
    EXPECT_LE(found.certificate.upper, found.certificate.rounding);
    return std::vector<double>(found.model.parameters().begin(), found.model.parameters().end());
  };
  const auto expect_same = [](const std::vector<double>& one, const std::vector<double>& other) {
    double largest = 0;
    for (const double value : one) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 3e-8 * largest);
  };
  for (const LossKind kind : {LossKind::logistic, LossKind::softmax}) {
    for (const double alpha : {0.1, 0.5, 1.0}) {
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " alpha " << alpha);
      const std::vector<double> expected = parameters(data, kind, alpha);
      expect_same(parameters(turned, kind, alpha), expected);
      expect_same(parameters(repeated, kind, alpha), expected);
      expect_same(parameters(unequal, kind, alpha), parameters(unequal_repeated, kind, alpha));
    }
  }
}

// Rows at 0 in both classes, all others separable: the infimum is positive and not attained.
TEST(ExactCvar, half_separable_classes_are_certified_all_the_same) {
  Dataset data = column_of({0, 1, 1, 1, 0, 0}, Task::binary);
  data.dense = {0, 0, 1, 2, -1, -3};
  const ExactResult found = solve_exact(data, Loss(LossKind::logistic), {.risk = {.alpha = 1}});
  expect_finite(found);
  EXPECT_NEAR(found.certificate.upper, std::log(2.0) / 3, 1e-6);
  EXPECT_LE(found.certificate.lower, std::log(2.0) / 3);
  EXPECT_EQ(found.status, ExactStatus::optimal);
}

// As above with a third class that can be told from the others, for the mean and for the maximum.
TEST(ExactCvar, half_separable_classes_of_three_are_certified_too) {
  Dataset data = column_of({2, 0, 1, 1, 0}, Task::multiclass);
  data.features = 2;
  data.dense = {-2, -1, 0, 0, -1, -1, 0, 0, -2, 0};
  data.class_names = {"b", "r", "g"};
  for (const double alpha : {0.1, 0.3}) {
    const ExactResult found =
        solve_exact(data, Loss(LossKind::softmax), {.risk = {.alpha = alpha}});
    expect_finite(found);
    EXPECT_EQ(found.status, ExactStatus::optimal) << alpha;
    EXPECT_NEAR(found.certificate.upper, std::log(2.0), 1e-6);
  }
  data = column_of({0, 1, 1, 0, 2}, Task::multiclass);
  data.dense = {-2, 2, 1, 1, 0};
  data.class_names = {"b", "r", "g"};
  for (const double alpha : {0.1, 0.3}) {
    const ExactResult found =
        solve_exact(data, Loss(LossKind::softmax), {.risk = {.alpha = alpha}});
    EXPECT_EQ(found.status, ExactStatus::optimal) << alpha;
  }
}

// Adding the same to all classes changes no loss, but scores that grow by it lose their digits.
TEST(ExactCvar, classes_do_not_drift_together) {
  Dataset data = column_of({0, 1, 0}, Task::multiclass);
  data.features = 6;
  data.dense = {2, 2, 0, -2, 0, 2, -1, 1, 0, 2, -2, 1, 1, 2, 1, -1, 0, 2};
  data.class_names = {"r", "g"};
  for (const double alpha : {0.77, 1.0}) {
    const ExactResult found =
        solve_exact(data, Loss(LossKind::softmax), {.risk = {.alpha = alpha}, .ridge = 1e-6});
    EXPECT_EQ(found.status, ExactStatus::optimal);
    EXPECT_LT(found.norm, 10);
    const std::size_t width = data.features + 1;
    const auto parameters = found.model.parameters();
    for (std::size_t i = 0; i < width; ++i) {
      EXPECT_NEAR(parameters[i] + parameters[width + i], 0, 1e-9);
    }
  }
}

TEST(ExactCvar, the_size_of_the_features_does_not_matter) {
  Rng rng(12);
  Dataset data = random_data(Task::multiclass, {.rows = 40, .features = 2, .classes = 3}, rng);
  const Loss loss(LossKind::softmax);
  const double expected = solve_exact(data, loss, {.risk = {.alpha = 1}}).certificate.upper;
  for (std::size_t i = 0; i < data.dense.size(); i += 2) data.dense[i] *= 0x1p20F;
  const ExactResult found = solve_exact(data, loss, {.risk = {.alpha = 1}});
  EXPECT_EQ(found.status, ExactStatus::optimal);
  EXPECT_NEAR(found.certificate.upper, expected, 1e-6 * expected);
}

TEST(ExactCvar, a_bound_that_only_underflow_keeps_from_0_is_0) {
  Dataset data = column_of({3, 9, 1}, Task::regression);
  data.features = 2;
  data.dense = {1, 2, 2, 5, 4, 4};
  for (const LossKind kind : {LossKind::squared, LossKind::pinball}) {
    for (const double alpha : {0.1, 0.5, 1.0}) {
      const ExactResult found = solve_exact(data, Loss(kind), {.risk = {.alpha = alpha}});
      EXPECT_EQ(found.status, ExactStatus::optimal);
      EXPECT_EQ(found.certificate.lower, 0);
    }
  }
}

TEST(ExactCvar, one_class_alone_is_told) {
  for (const double alpha : {0.5, 1.0}) {
    const ExactResult found = solve_exact(column_of({1, 1, 1, 1}, Task::binary),
                                          Loss(LossKind::logistic), {.risk = {.alpha = alpha}});
    expect_finite(found);
    EXPECT_EQ(found.status, ExactStatus::not_attained);
  }
}

// Losses of targets times c are those of the squared loss times c^2, of the others times c.
TEST(ExactCvar, the_size_of_the_targets_does_not_matter) {
  Rng rng(10);
  const Dataset data = random_data(Task::regression, {.rows = 80, .features = 3}, rng);
  for (const LossKind kind : {LossKind::squared, LossKind::absolute, LossKind::pinball}) {
    const ExactOptions options{.risk = {.alpha = 0.2}, .tolerance = 1e-8};
    const double expected = solve_exact(data, Loss(kind), options).certificate.upper;
    for (const double size : {1e-6, 1e6}) {
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << size);
      Dataset scaled = data;
      for (double& y : scaled.targets) y *= size;
      const ExactResult found = solve_exact(scaled, Loss(kind), options);
      expect_optimal(found, 1e-8);
      const double factor = kind == LossKind::squared ? size * size : size;
      EXPECT_NEAR(found.certificate.upper / factor, expected, 2e-8 * expected);
    }
  }
}

// Targets times s, and a ridge times what keeps the optimum's shape: only the units differ.
TEST(ExactCvar, the_size_of_the_targets_does_not_matter_with_a_ridge) {
  Rng rng(15);
  const Dataset data = random_data(Task::regression, {.rows = 80, .features = 3}, rng);
  for (const LossKind kind :
       {LossKind::squared, LossKind::absolute, LossKind::huber, LossKind::pinball}) {
    for (const double alpha : {0.05, 0.2, 1.0}) {
      for (const double ridge : {0.0, 0.01, 1.0}) {
        const double expected =
            solve_exact(data, Loss(kind),
                        {.risk = {.alpha = alpha}, .ridge = ridge, .tolerance = 1e-8})
                .certificate.upper;
        for (const double size : {1e-8, 1e8, 1e12}) {
          SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " alpha " << alpha << " ridge "
                                          << ridge << " size " << size);
          Dataset scaled = data;
          for (double& y : scaled.targets) y *= size;
          const Loss loss(kind, size);
          const double factor = loss.unit(size);
          const ExactOptions options{
              .risk = {.alpha = alpha}, .ridge = ridge * factor / size / size, .tolerance = 1e-8};
          const ExactResult found = solve_exact(scaled, loss, options);
          expect_optimal(found, 1e-8);
          EXPECT_NEAR(found.certificate.upper / factor, expected, 2e-8 * expected);
          EXPECT_NEAR(objective(found.model, scaled, loss, alpha, options.ridge),
                      found.certificate.upper, 1e-12 * found.certificate.upper);
          const Certificate again = certify(found.model, scaled, loss, found.q,
                                            {.risk = {.alpha = alpha}, .ridge = options.ridge});
          EXPECT_NEAR(again.lower, found.certificate.lower, 1e-5 * found.certificate.upper);
          EXPECT_EQ(again.upper, found.certificate.upper);
        }
      }
    }
  }
}

// Tolerances, and optima as small as rounding: the status is what its comment says.
TEST(ExactCvar, optimal_means_a_gap_within_the_tolerance_or_the_rounding) {
  Rng rng(3);
  for (const LossKind kind : support::kAllLosses) {
    for (int run = 0; run < 300; ++run) {
      const Task task = task_of(kind);
      Dataset data = random_data(task,
                                 {.rows = 5 + rng.below(40),
                                  .features = 1 + rng.below(4),
                                  .classes = task == Task::multiclass ? 3U : 2U,
                                  .noise = std::pow(10.0, -8 * rng.uniform())},
                                 rng);
      if (task == Task::regression && run % 3 == 0) {
        for (double& y : data.targets) y += 1e6;
      }
      const double tolerance = std::pow(10.0, -13 * rng.uniform());
      const double alpha = rng.below(3) == 0 ? 1.0 : 0.02 + 0.98 * rng.uniform();
      const double ridge = rng.below(3) == 0 ? std::pow(10.0, -10 * rng.uniform()) : 0.0;
      const ExactResult found =
          solve_exact(data, Loss(kind, 1.0, 0.3),
                      {.risk = {.alpha = alpha}, .ridge = ridge, .tolerance = tolerance});
      const Certificate& c = found.certificate;
      const bool is_within = c.relative_gap() <= tolerance || c.upper - c.lower <= c.rounding;
      if (found.status == ExactStatus::optimal) {
        EXPECT_TRUE(is_within) << kLossNames.of(kind) << " " << run;
      }
      if (found.status == ExactStatus::stalled) {
        EXPECT_FALSE(is_within) << kLossNames.of(kind) << " " << run;
      }
    }
  }
}

TEST(ExactCvar, one_row_far_out_decides_small_alpha) {
  Rng rng(11);
  Dataset data = random_data(Task::regression, {.rows = 100, .features = 2}, rng);
  data.targets[7] = 1e8;
  for (const LossKind kind : {LossKind::squared, LossKind::absolute, LossKind::huber}) {
    for (const double alpha : {0.01, 0.3, 1.0}) {
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << alpha);
      expect_optimal(solve_exact(data, Loss(kind), {.risk = {.alpha = alpha}}), 1e-6);
    }
  }
}

TEST(ExactCvar, a_warm_start_gives_the_same_optimum) {
  Rng rng(12);
  for (const LossKind kind : support::kAllLosses) {
    const Dataset data = random_data(task_of(kind), {.rows = 90, .features = 3}, rng);
    const ExactOptions options{.risk = {.alpha = 0.3}, .tolerance = 1e-9};
    const ExactResult cold = solve_exact(data, Loss(kind), options);
    const ExactResult near = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.4}});
    LinearModel far = near.model;
    for (double& parameter : far.parameters()) parameter += 50 * support::normal(rng);
    for (const LinearModel* start :
         {&near.model, &cold.model, static_cast<const LinearModel*>(&far)}) {
      const ExactResult warm = solve_exact(data, Loss(kind), options, start);
      SCOPED_TRACE(kLossNames.of(kind));
      expect_optimal(warm, 1e-9);
      EXPECT_NEAR(warm.certificate.upper, cold.certificate.upper, 2e-9 * cold.certificate.upper);
    }
  }
}

TEST(ExactCvar, does_not_depend_on_the_number_of_threads) {
  Rng rng(13);
  for (const LossKind kind : {LossKind::squared, LossKind::hinge, LossKind::softmax}) {
    const Dataset data =
        random_data(task_of(kind), {.rows = 9'000, .features = 3, .classes = 3}, rng);
    const ExactResult one = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.2}, .threads = 1});
    const ExactResult three = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.2}, .threads = 3});
    expect_optimal(one, 1e-6);
    EXPECT_TRUE(std::ranges::equal(one.model.parameters(), three.model.parameters()));
    EXPECT_EQ(one.certificate.lower, three.certificate.lower);
    EXPECT_EQ(one.certificate.upper, three.certificate.upper);
    EXPECT_EQ(one.q, three.q);
  }
}

// Large data begins on a sample and leaves out rows below the tail.
TEST(ExactCvar, large_data_has_the_optimum_of_all_its_rows) {
  Rng rng(14);
  for (const LossKind kind : {LossKind::squared, LossKind::logistic, LossKind::absolute}) {
    const Dataset data =
        random_data(task_of(kind), {.rows = 60'000, .features = 2, .noise = 0.3}, rng);
    const ExactResult found = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.1}});
    SCOPED_TRACE(kLossNames.of(kind));
    expect_optimal(found, 1e-6);
    EXPECT_NEAR(found.certificate.upper, objective(found.model, data, Loss(kind), 0.1, 0), 1e-12);
    const ExactResult warm = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.1}}, &found.model);
    expect_optimal(warm, 1e-6);
    const ExactResult wrong_place = [&] {
      LinearModel start = found.model;
      for (double& parameter : start.parameters()) parameter += 3;
      return solve_exact(data, Loss(kind), {.risk = {.alpha = 0.1}}, &start);
    }();
    expect_optimal(wrong_place, 1e-6);
    EXPECT_NEAR(wrong_place.certificate.upper, found.certificate.upper,
                2e-6 * found.certificate.upper);
  }
}

// For losses with a kink the mean of many rows leaves out those far from theirs.
TEST(ExactCvar, large_means_of_losses_with_a_kink_have_the_optimum_of_all_rows) {
  Rng rng(20);
  for (const LossKind kind : {LossKind::absolute, LossKind::pinball, LossKind::hinge}) {
    const Loss loss(kind, 1, 0.9);
    const Dataset data =
        random_data(task_of(kind), {.rows = 55'000, .features = 2, .noise = 0.5}, rng);
    SCOPED_TRACE(kLossNames.of(kind));
    const ExactResult found = solve_exact(data, loss, {.risk = {.alpha = 1}, .threads = 1});
    expect_optimal(found, 1e-6);
    EXPECT_NEAR(found.certificate.upper, objective(found.model, data, loss, 1, 0), 1e-12);
    EXPECT_NEAR(std::accumulate(found.q.begin(), found.q.end(), 0.0), 1, 1e-12);
    LinearModel start = found.model;
    for (double& parameter : start.parameters()) parameter += 3;
    const ExactResult from_afar =
        solve_exact(data, loss, {.risk = {.alpha = 1}, .threads = 2}, &start);
    expect_optimal(from_afar, 1e-6);
    EXPECT_NEAR(from_afar.certificate.upper, found.certificate.upper,
                2e-6 * found.certificate.upper);
    const ExactResult two = solve_exact(data, loss, {.risk = {.alpha = 1}, .threads = 2});
    EXPECT_TRUE(std::ranges::equal(found.model.parameters(), two.model.parameters()));
    EXPECT_EQ(found.certificate.lower, two.certificate.lower);
  }
}

/// Classes whose chances follow a line: the steeper, the fewer are in doubt.
Dataset classes_in_doubt(double steepness) {
  Rng rng(19);
  Dataset data;
  data.rows = 60'000;
  data.features = 20;
  data.task = Task::binary;
  data.class_names = {"0", "1"};
  for (std::size_t i = 0; i < data.rows; ++i) {
    double score = 0;
    for (std::size_t f = 0; f < data.features; ++f) {
      data.dense.push_back(static_cast<float>(2 * rng.uniform() - 1));
      score += static_cast<double>(data.dense.back()) / static_cast<double>(f + 1);
    }
    data.targets.push_back(rng.uniform() < 1 / (1 + std::exp(-steepness * score)) ? 1.0 : 0.0);
  }
  return data;
}

// Without the way to the central path some of these need more than a hundred steps.
TEST(ExactCvar, large_data_needs_few_steps) {
  constexpr double kAlpha = 0.1;
  const Loss loss(LossKind::logistic);
  for (const double steepness : {10.0, 20.0, 60.0}) {
    SCOPED_TRACE(testing::Message() << "steepness " << steepness);
    const Dataset data = classes_in_doubt(steepness);
    const ExactResult found = solve_exact(data, loss, {.risk = {.alpha = kAlpha}, .threads = 1});
    expect_optimal(found, 1e-6);
    EXPECT_LE(found.steps, 25U);
    EXPECT_EQ(found.norm == 0, steepness == 10.0);  // nothing to learn
    EXPECT_NEAR(std::accumulate(found.q.begin(), found.q.end(), 0.0), 1, 1e-6);
    EXPECT_LE(std::ranges::max(found.q), (1 + 1e-12) / (kAlpha * 60'000));
    const ExactResult two = solve_exact(data, loss, {.risk = {.alpha = kAlpha}, .threads = 2});
    EXPECT_TRUE(std::ranges::equal(found.model.parameters(), two.model.parameters()));
    EXPECT_EQ(found.certificate.lower, two.certificate.lower);
  }
}

TEST(ExactCvar, large_data_that_is_fitted_or_separable_ends) {
  Rng rng(18);
  for (const LossKind kind : {LossKind::squared, LossKind::absolute, LossKind::logistic}) {
    const Dataset data =
        random_data(task_of(kind), {.rows = 30'000, .features = 2, .noise = 0}, rng);
    const ExactResult found = solve_exact(data, Loss(kind), {.risk = {.alpha = 0.001}});
    SCOPED_TRACE(kLossNames.of(kind));
    expect_finite(found);
    EXPECT_EQ(found.status,
              kind == LossKind::logistic ? ExactStatus::not_attained : ExactStatus::optimal);
    EXPECT_LE(found.certificate.upper, 1e-11);
  }
}

/// A table of categories: every row has one entry of 1 in each of five groups of columns.
Dataset categories(Task task, std::size_t rows, std::size_t levels) {
  Rng rng(21);
  Dataset data;
  data.rows = rows;
  data.features = 5 * levels;
  data.task = task;
  data.start.push_back(0);
  for (std::size_t i = 0; i < rows; ++i) {
    double score = 0.5 * support::normal(rng);
    for (std::size_t group = 0; group < 5; ++group) {
      const std::size_t level = rng.below(static_cast<std::uint32_t>(levels));
      data.column.push_back(static_cast<std::uint32_t>(group * levels + level));
      data.value.push_back(1.0F);
      score += std::sin(static_cast<double>(level));
    }
    data.start.push_back(data.column.size());
    data.targets.push_back(task == Task::regression ? score : score > 0 ? 1.0 : 0.0);
  }
  if (task != Task::regression) data.class_names = {"0", "1"};
  return data;
}

// The levels of a group add up to 1: exactly collinear.
TEST(ExactCvar, tables_of_categories_are_certified) {
  for (const LossKind kind : support::kAllLosses) {
    const Dataset data =
        categories(kind == LossKind::softmax ? Task::binary : task_of(kind), 1500, 12);
    for (const double alpha : {0.05, 0.5, 1.0}) {
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " alpha " << alpha);
      expect_optimal(solve_exact(data, Loss(kind, 1, 0.3), {.risk = {.alpha = alpha}}), 1e-6);
    }
  }
}

TEST(ExactCvar, ones_need_not_be_stored) {
  for (const LossKind kind : {LossKind::squared, LossKind::logistic}) {
    const Dataset stored = categories(task_of(kind), 300, 4);
    Dataset ones = stored;
    ones.value.clear();
    const ExactResult found = solve_exact(ones, Loss(kind), {.risk = {.alpha = 0.2}});
    const ExactResult expected = solve_exact(stored, Loss(kind), {.risk = {.alpha = 0.2}});
    EXPECT_EQ(found.certificate.lower, expected.certificate.lower);
    EXPECT_EQ(found.certificate.upper, expected.certificate.upper);
  }
}

TEST(ExactCvar, too_many_columns_are_refused_with_the_limit) {
  const Dataset data = categories(Task::regression, 20, 1000);
  support::expect_words<OptionError>([&] { (void)solve_exact(data, Loss(LossKind::squared), {}); },
                                     "5000");
}

TEST(ExactCvar, a_flag_ends_it_with_a_valid_certificate) {
  Rng rng(15);
  const std::atomic<bool> stop{true};
  for (const LossKind kind : support::kAllLosses) {
    for (const double alpha : {0.3, 1.0}) {
      const Dataset data = random_data(task_of(kind), {.rows = 40, .features = 2}, rng);
      const ExactResult found =
          solve_exact(data, Loss(kind), {.risk = {.alpha = alpha}, .stop = &stop});
      expect_finite(found);
      EXPECT_EQ(found.status, ExactStatus::interrupted);
      EXPECT_LE(found.certificate.lower, found.certificate.upper);
      EXPECT_LE(found.steps, 1U);
    }
  }
}

TEST(ExactCvar, a_limit_on_steps_ends_it_with_a_valid_certificate) {
  Rng rng(16);
  const Dataset data = random_data(Task::regression, {.rows = 200, .features = 3}, rng);
  for (const std::uint64_t most : {0, 1, 3}) {
    const ExactResult found =
        solve_exact(data, Loss(LossKind::absolute),
                    {.risk = {.alpha = 0.2}, .tolerance = 1e-9, .max_steps = most});
    expect_finite(found);
    EXPECT_EQ(found.status, ExactStatus::stalled);
    EXPECT_EQ(found.steps, most);
    EXPECT_LE(found.certificate.lower, found.certificate.upper);
  }
}

TEST(ExactCvar, bad_options_are_refused_in_words) {
  Rng rng(17);
  const Dataset data = random_data(Task::regression, {.rows = 3, .features = 1}, rng);
  const auto call = [&](const ExactOptions& options, LossKind kind = LossKind::squared,
                        const LinearModel* start = nullptr) {
    return [=, &data] { (void)solve_exact(data, Loss(kind), options, start); };
  };
  using support::expect_words;
  expect_words<OptionError>(call({.risk = {.alpha = 0}}), "alpha = 0 is outside (0, 1]");
  expect_words<OptionError>(call({.risk = {.alpha = 1.5}}), "alpha = 1.5 is outside (0, 1]");
  expect_words<OptionError>(call({.ridge = -1}), "ridge = -1 is outside [0, inf)");
  expect_words<OptionError>(call({.tolerance = 0}), "tolerance = 0 is outside (0, inf)");
  expect_words<OptionError>(call({}, LossKind::hinge),
                            "the loss does not fit the task of the data");
  const LinearModel wide(5, 1);
  expect_words<OptionError>(call({}, LossKind::squared, &wide),
                            "the model to start from has 6 parameters, 2 are needed");
  LinearModel broken(1, 1);
  broken.parameters()[1] = std::numeric_limits<double>::quiet_NaN();
  expect_words<OptionError>(call({}, LossKind::squared, &broken),
                            "parameter 1 of the model to start from is nan");
  expect_words<DataError>([] { (void)solve_exact({}, Loss(LossKind::squared), {}); },
                          "the data is empty");
}

std::filesystem::path folder() {
  return std::getenv("ADACVAR_DATA") != nullptr ? data_folder() : ADACVAR_TEST_DATA;
}

TEST(ExactCvar, real_data_is_certified) {
  if (!std::filesystem::is_directory(folder())) {
    GTEST_SKIP() << "there is no data folder " << folder() << "; set ADACVAR_DATA";
  }
  for (const std::string name : {"abalone", "boston", "australian", "titanic", "splice"}) {
    DataOptions options;
    options.data = name;
    options.split = {1, 0, 0};
    options.source.data_dir = folder().string();
    const PreparedData data = prepare_data(options, 0);
    for (const double alpha : {0.01, 0.1, 1.0}) {
      const Loss loss = Loss::of_task(data.train.task);
      SCOPED_TRACE(testing::Message() << name << " alpha " << alpha);
      expect_optimal(solve_exact(data.train, loss, {.risk = {.alpha = alpha}, .tolerance = 1e-8}),
                     1e-8);
    }
  }
}

}  // namespace
}  // namespace adacvar
