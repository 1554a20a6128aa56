#include "solver/column_units.hpp"

#include "support/small_problems.hpp"

#include <adacvar/learner/train.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace adacvar {
namespace {

Dataset columns_of(std::size_t features, std::vector<float> dense) {
  Dataset data;
  data.features = features;
  data.rows = dense.size() / features;
  data.dense = std::move(dense);
  data.targets.assign(data.rows, 0.0);
  for (std::size_t i = 0; i < data.rows; ++i) data.targets[i] = i % 2 == 0 ? 1.0 : -1.0;
  return data;
}

TEST(ColumnUnits, data_of_about_size_1_is_not_copied) {
  Rng rng(1);
  const Dataset data = support::random_data(Task::regression, {.rows = 50, .features = 3}, rng);
  const ColumnUnits columns(data, Loss::of_task(data.task));
  EXPECT_FALSE(columns.is_changed());
  EXPECT_EQ(&columns.data(), &data);
}

TEST(ColumnUnits, scales_by_powers_of_two_and_takes_far_centres_away) {
  const Dataset data = columns_of(2, {0x1p60F, 2000, -0x1p60F, 2001, 0x1p59F, 2002, 0, 2003});
  const ColumnUnits columns(data, Loss::of_task(data.task));
  ASSERT_TRUE(columns.is_changed());
  EXPECT_EQ(columns.units()[0], 0x1p59);
  EXPECT_EQ(columns.units()[1], 1);
  // The deviation is 1.1, so the centre is a whole number.
  EXPECT_EQ(columns.data().dense, (std::vector<float>{2, -2, -2, -1, 1, 0, 0, 1}));
}

TEST(ColumnUnits, gives_way_where_a_difference_would_be_rounded) {
  std::vector<float> column(100, 1e6F);
  column[3] += 1;
  column[7] = 1e-3F;  // less 1e6: needs more digits than a float has
  column[8] = std::numeric_limits<float>::denorm_min();
  const Dataset data = columns_of(1, column);
  const ColumnUnits columns(data, Loss::of_task(data.task));
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double back = static_cast<double>(columns.data().dense[i]) * columns.units()[0];
    EXPECT_EQ(back, static_cast<double>(column[i])) << i;
  }
}

TEST(ColumnUnits, models_keep_their_scores_both_ways) {
  Rng rng(2);
  for (const bool sparse : {false, true}) {
    Dataset dense =
        support::random_data(Task::multiclass, {.rows = 40, .features = 3, .classes = 3}, rng);
    for (std::size_t i = 0; i < dense.dense.size(); i += 3) dense.dense[i] *= 1e-40F;
    for (std::size_t i = 1; i < dense.dense.size(); i += 3) dense.dense[i] += 5000;
    const Dataset data = sparse ? support::as_sparse(dense, false, rng) : dense;
    const ColumnUnits columns(data, Loss::of_task(data.task));
    ASSERT_TRUE(columns.is_changed());
    Eigen::VectorXd theta(12);
    for (double& parameter : theta) parameter = support::normal(rng);
    const Eigen::VectorXd inside = columns.to_units(theta);
    EXPECT_TRUE(columns.from_units(inside).isApprox(theta, 1e-10));
    LinearModel outer(3, 3);
    LinearModel inner(3, 3);
    std::copy(theta.begin(), theta.end(), outer.parameters().begin());
    std::copy(inside.begin(), inside.end(), inner.parameters().begin());
    const Loss loss(LossKind::softmax);
    const std::vector<double> one = losses_of(outer, data, loss);
    const std::vector<double> other = losses_of(inner, columns.data(), loss);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-8);
  }
}

TEST(ColumnUnits, targets_far_from_0_get_another_mean) {
  Dataset data = columns_of(1, {1, 2, 3, 4});
  for (double& y : data.targets) y = (y + 1e9) / 4;
  const ColumnUnits columns(data, Loss::of_task(data.task));
  ASSERT_TRUE(columns.is_changed());
  for (const double y : columns.data().targets) EXPECT_LT(std::abs(y), 4);
  EXPECT_NEAR(columns.from_units(Eigen::VectorXd::Zero(2))(1), 1e9 / 4, 1);
}

TEST(ColumnUnits, large_targets_have_a_unit_which_loss_and_ridge_follow) {
  Rng rng(3);
  Dataset data = support::random_data(Task::regression, {.rows = 50, .features = 2}, rng);
  for (double& y : data.targets) y = 1e8 * y + 1e10;
  for (const Loss& loss : {Loss(LossKind::squared), Loss(LossKind::absolute),
                           Loss(LossKind::huber, 1e8), Loss(LossKind::pinball, 1, 0.2)}) {
    const ColumnUnits columns(data, loss);
    ASSERT_TRUE(columns.is_changed());
    LinearModel outer(2, 1);
    outer.parameters()[0] = 3e7;
    outer.parameters()[1] = -1e8;
    outer.parameters()[2] = 1e10;
    const Eigen::VectorXd inside =
        columns.to_units(Eigen::Map<const Eigen::VectorXd>(outer.parameters().data(), 3));
    LinearModel inner(2, 1);
    std::copy(inside.begin(), inside.end(), inner.parameters().begin());
    const double risk = cvar(losses_of(inner, columns.data(), columns.loss()), 0.3) +
                        inner.penalty(columns.to_units(0.7));
    const double expected = cvar(losses_of(outer, data, loss), 0.3) + outer.penalty(0.7);
    EXPECT_GT(risk, 1e-3);
    EXPECT_LT(risk, 1e12);
    EXPECT_NEAR(columns.from_units(Certificate{.upper = risk}).upper, expected, 1e-9 * expected);
  }
}

}  // namespace
}  // namespace adacvar
