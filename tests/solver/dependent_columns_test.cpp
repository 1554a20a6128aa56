#include "solver/dependent_columns.hpp"

#include "support/small_problems.hpp"

#include <adacvar/solver/exact_cvar.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace adacvar {
namespace {

using support::as_sparse;
using support::normal;
using support::objective;

/// A set whose row i is row(i).
Dataset data_of(std::size_t rows, std::size_t features,
                const std::function<std::vector<double>(std::size_t)>& row) {
  Dataset data;
  data.rows = rows;
  data.features = features;
  data.task = Task::regression;
  for (std::size_t i = 0; i < rows; ++i) {
    for (const double x : row(i)) data.dense.push_back(static_cast<float>(x));
    data.targets.push_back(0);
  }
  return data;
}

using Columns = std::vector<std::uint32_t>;

TEST(DependentColumns, none_where_features_differ) {
  Rng rng(1);
  const Dataset data = data_of(300, 4, [&](std::size_t) {
    const double x = normal(rng);
    return std::vector{x, x + 1e-4 * normal(rng), normal(rng), 1e-30 * normal(rng)};
  });
  EXPECT_EQ(dependent_columns(data, 1), Columns());
  EXPECT_EQ(dependent_columns(data_of(10, 0, [](std::size_t) { return std::vector<double>(); }), 1),
            Columns());
}

// The later one of a group; the constant depends on the intercept.
TEST(DependentColumns, doubles_constants_and_sums) {
  Rng rng(2);
  Dataset data = data_of(50, 6, [&](std::size_t) {
    const double x = normal(rng);
    const double y = normal(rng);
    return std::vector{x, 2 * x, 7.5, y, 0.3 * x - 0.7 * y + 5, 0.0};
  });
  EXPECT_EQ(dependent_columns(data, 1), (Columns{1, 2, 4, 5}));
  const Dataset sparse = as_sparse(data, false, rng);
  EXPECT_EQ(dependent_columns(sparse, 1), (Columns{1, 2, 4, 5}));
}

TEST(DependentColumns, no_more_are_left_than_rows) {
  Rng rng(3);
  const Dataset data = data_of(3, 5, [&](std::size_t) {
    return std::vector{normal(rng), normal(rng), normal(rng), 1.0, 2.0};
  });
  EXPECT_EQ(dependent_columns(data, 1), (Columns{2, 3, 4}));  // two and the intercept
}

// What some rows say is looked up in all of them: row 1 is not among the first looked at.
TEST(DependentColumns, a_single_row_tells_columns_apart) {
  Rng rng(4);
  const auto make = [&](double apart) {
    return data_of(20'000, 3, [&, apart](std::size_t i) {
      const double x = normal(rng);
      return std::vector{x, x + (i == 1 ? apart : 0.0), i == 1 ? apart : 0.0};
    });
  };
  EXPECT_EQ(dependent_columns(make(0), 2), (Columns{1, 2}));
  EXPECT_EQ(dependent_columns(make(1), 2), Columns{2});
}

/// Three shares of a whole, in tenths of a percent, in units of their deviation: they add up to the
/// same number but for rounding.
Dataset shares(LossKind kind, std::size_t rows) {
  Rng rng(5);
  Dataset data = data_of(rows, 3, [&](std::size_t) {
    const double a = std::round(1000 * rng.uniform());
    const double b = std::round((1000 - a) * rng.uniform());
    return std::vector{a / 288.7, b / 221.3, (1000 - a - b) / 219.9};
  });
  data.task = support::task_of(kind);
  for (std::size_t i = 0; i < rows; ++i) {
    const double score =
        static_cast<double>(data.dense[3 * i] - data.dense[3 * i + 1]) + normal(rng);
    data.targets[i] = data.task == Task::regression ? score : score > 0.5 ? 1.0 : 0.0;
  }
  if (data.task != Task::regression) data.class_names = {"0", "1"};
  return data;
}

TEST(DependentColumns, the_exact_model_does_without_them) {
  for (const LossKind kind : {LossKind::squared, LossKind::huber, LossKind::absolute,
                              LossKind::logistic, LossKind::hinge}) {
    const Dataset data = shares(kind, 3000);
    Dataset two = data;
    two.features = 2;
    two.dense.clear();
    for (std::size_t i = 0; i < data.rows; ++i) {
      two.dense.insert(two.dense.end(), {data.dense[3 * i], data.dense[3 * i + 1]});
    }
    for (const double alpha : {0.05, 0.8, 1.0}) {
      SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " alpha " << alpha);
      const ExactResult found = solve_exact(data, Loss(kind), {.alpha = alpha});
      const ExactResult without = solve_exact(two, Loss(kind), {.alpha = alpha});
      EXPECT_EQ(found.dependent, Columns{2});
      EXPECT_TRUE(found.status == ExactStatus::optimal || found.status == ExactStatus::dependent);
      EXPECT_EQ(found.model.parameters()[2], 0);
      EXPECT_LE(found.certificate.upper, found.lower_without * (1 + 1e-6));
      EXPECT_LE(found.certificate.relative_gap().value_or(1), 0.01);
      EXPECT_NEAR(found.certificate.upper, without.certificate.upper,
                  2e-6 * without.certificate.upper);
      // A ridge tells the features apart.
      EXPECT_EQ(solve_exact(data, Loss(kind), {.alpha = alpha, .ridge = 0.01}).dependent,
                Columns());
    }
  }
}

/// The third column is the sum of the first two and noise of size `apart`.
Dataset near_sums(std::size_t rows, double apart) {
  Rng rng(7);
  Dataset data = data_of(rows, 4, [&](std::size_t) {
    const double a = normal(rng);
    const double b = normal(rng);
    return std::vector{a, b, a + b + apart * normal(rng), normal(rng)};
  });
  for (std::size_t i = 0; i < rows; ++i) {
    data.targets[i] =
        static_cast<double>(data.dense[4 * i + 1] - data.dense[4 * i + 3]) + normal(rng);
  }
  return data;
}

// Noise above rounding is a feature like any other, and its weight may be large.
TEST(DependentColumns, what_is_more_than_rounding_is_used) {
  for (const LossKind kind : {LossKind::squared, LossKind::huber, LossKind::absolute}) {
    for (const double apart : {1e-6, 5e-6, 1e-5, 1e-3}) {
      for (const double alpha : {0.01, 0.3, 1.0}) {
        SCOPED_TRACE(testing::Message() << kLossNames.of(kind) << " " << apart << " " << alpha);
        const ExactResult found = solve_exact(near_sums(60, apart), Loss(kind), {.alpha = alpha});
        EXPECT_EQ(found.dependent, Columns());
        EXPECT_EQ(found.status, ExactStatus::optimal);
        EXPECT_LE(found.certificate.relative_gap().value_or(1), 1e-6);
        EXPECT_GT(found.norm, 0.001 / apart);
      }
    }
  }
}

// x, x^2, ..., x^8 of x in (0, 1]: independent, but a Gram matrix hardly shows it.
TEST(DependentColumns, powers_of_a_number_are_told_apart) {
  Rng rng(8);
  Dataset data = data_of(500, 8, [&](std::size_t i) {
    std::vector<double> powers;
    for (int p = 1; p <= 8; ++p) powers.push_back(std::pow(static_cast<double>(i + 1) / 500, p));
    return powers;
  });
  for (double& target : data.targets) target = normal(rng);
  for (const double alpha : {0.004, 0.1, 1.0}) {
    const ExactResult found = solve_exact(data, Loss(LossKind::squared), {.alpha = alpha});
    EXPECT_EQ(found.status, ExactStatus::optimal) << alpha;
    EXPECT_LE(found.certificate.relative_gap().value_or(1), 1e-6) << alpha;
  }
}

// A ridge that is next to nothing is no worse than none.
TEST(DependentColumns, a_tiny_ridge_keeps_the_bound) {
  const Dataset data = shares(LossKind::hinge, 300);
  const Loss loss(LossKind::hinge);
  const double lower = solve_exact(data, loss, {.alpha = 0.05}).certificate.lower;
  for (const double ridge : {1e-18, 1e-12, 1e-10}) {
    const ExactResult found = solve_exact(data, loss, {.alpha = 0.05, .ridge = ridge});
    EXPECT_GE(found.certificate.lower, lower * (1 - 1e-6)) << ridge;
  }
}

// Models that use the column all the same are bounded too, however large.
TEST(DependentColumns, no_model_is_below_the_bound) {
  const Dataset data = shares(LossKind::squared, 3000);
  const Loss loss(LossKind::squared);
  const ExactResult found = solve_exact(data, loss, {.alpha = 0.1});
  Rng rng(6);
  for (int trial = 0; trial < 2000; ++trial) {
    LinearModel model = found.model;
    // Along the direction that changes next to nothing.
    const double length = std::exp(25 * rng.uniform()) * (rng.below(2) == 0 ? 1 : -1);
    model.parameters()[0] += 288.7 * length / 430;
    model.parameters()[1] += 221.3 * length / 430;
    model.parameters()[2] += 219.9 * length / 430;
    model.parameters()[3] -= 1000 * length / 430;
    ASSERT_LE(found.certificate.lower, objective(model, data, loss, 0.1, 0));
  }
}

}  // namespace
}  // namespace adacvar
