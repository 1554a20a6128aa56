#include "support/expect_words.hpp"
#include "support/small_problems.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/solver/exact_cvar.hpp>
#include <adacvar/solver/game.hpp>
#include "solver/be_the_leader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

// A row of weight 3 is the row three times.
namespace adacvar {
namespace {

using support::random_data;
using support::task_of;

struct Twins {
  Dataset weighted;
  Dataset repeated;
  std::vector<std::size_t> origin;  // of each repeated row
};

Twins any_twins(Task task, std::size_t rows, Rng& rng) {
  Twins twins;
  twins.weighted = random_data(
      task, {.rows = rows, .features = 3, .classes = task == Task::multiclass ? 3U : 2U}, rng);
  Dataset& repeated = twins.repeated = twins.weighted;
  repeated.dense.clear();
  repeated.targets.clear();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t copies = 1 + rng.below(4);
    twins.weighted.weights.push_back(static_cast<double>(copies));
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      const auto row = twins.weighted.dense.begin() + static_cast<std::ptrdiff_t>(3 * i);
      repeated.dense.insert(repeated.dense.end(), row, row + 3);
      repeated.targets.push_back(twins.weighted.targets[i]);
      twins.origin.push_back(i);
    }
  }
  repeated.rows = repeated.targets.size();
  return twins;
}

std::vector<double> summed_over_copies(const Twins& twins, const std::vector<double>& q) {
  std::vector<double> sums(twins.weighted.rows);
  for (std::size_t i = 0; i < q.size(); ++i) sums[twins.origin[i]] += q[i];
  return sums;
}

TEST(RowWeights, equal_repeated_rows_in_the_exact_solver) {
  Rng rng(1);
  for (const LossKind kind : support::kAllLosses) {
    const Loss loss(kind, 0.5, 0.3);
    for (const double alpha : {0.03, 0.3, 0.8, 1.0}) {
      for (const double ridge : {0.0, 0.1}) {
        const Twins twins = any_twins(task_of(kind), 60, rng);
        const ExactOptions options{.risk = {.alpha = alpha}, .ridge = ridge, .tolerance = 1e-10};
        const ExactResult one = solve_exact(twins.weighted, loss, options);
        const ExactResult other = solve_exact(twins.repeated, loss, options);
        SCOPED_TRACE(testing::Message()
                     << kLossNames.of(kind) << " alpha " << alpha << " ridge " << ridge);
        EXPECT_EQ(one.status, ExactStatus::optimal);
        const double upper = other.certificate.upper;
        EXPECT_NEAR(one.certificate.upper, upper, 1e-9 * upper);
        EXPECT_NEAR(one.certificate.lower, other.certificate.lower, 1e-9 * upper);
        const std::vector<double> q = summed_over_copies(twins, other.q);
        // Where no model beats a constant one, many distributions prove it.
        const bool has_many = kind == LossKind::hinge && upper > 0.999;
        for (std::size_t i = 0; i < q.size() && !has_many; ++i) {
          EXPECT_NEAR(one.q[i], q[i], 1e-9) << i;
        }
        const Certificate again = certify(one.model, twins.weighted, loss, one.q,
                                          {.risk = {.alpha = alpha}, .ridge = ridge});
        const Certificate copies = certify(one.model, twins.repeated, loss, other.q,
                                           {.risk = {.alpha = alpha}, .ridge = ridge});
        EXPECT_NEAR(again.upper, copies.upper, 1e-12 * upper);
        EXPECT_NEAR(again.lower, copies.lower, 1e-8 * upper);
      }
    }
  }
}

// Only their ratios count.
TEST(RowWeights, of_any_size_are_taken) {
  Rng rng(2);
  for (const LossKind kind : support::kAllLosses) {
    Twins twins = any_twins(task_of(kind), 50, rng);
    const ExactOptions options{.risk = {.alpha = 0.2}, .tolerance = 1e-8};
    const double expected = solve_exact(twins.weighted, Loss(kind), options).certificate.upper;
    for (const double size : {1e-9, 1e12}) {
      Dataset scaled = twins.weighted;
      for (double& weight : scaled.weights) weight *= size;
      const ExactResult found = solve_exact(scaled, Loss(kind), options);
      EXPECT_EQ(found.status, ExactStatus::optimal) << kLossNames.of(kind) << size;
      EXPECT_NEAR(found.certificate.upper, expected, 2e-8 * expected);
    }
  }
}

// By hand: of targets 0 and 3 with weights 3 and 1 the worst half is the one row of weight 1 and
// one of the three others: constant c has the CVaR (c^2 + (3 - c)^2) / 2, least at 3/2.
TEST(RowWeights, small_numbers_by_hand) {
  Dataset data;
  data.rows = 2;
  data.features = 1;
  data.dense = {0, 0};
  data.targets = {0, 3};
  data.weights = {3, 1};
  const ExactResult found =
      solve_exact(data, Loss(LossKind::squared), {.risk = {.alpha = 0.5}, .tolerance = 1e-9});
  EXPECT_NEAR(found.certificate.upper, 2.25, 1e-8);
  EXPECT_NEAR(found.q[0], 0.5, 1e-4);
  EXPECT_NEAR(found.q[1], 0.5, 1e-4);
  // The mean: 3/4 c^2 + 1/4 (3 - c)^2, least at 3/4.
  const ExactResult mean = solve_exact(data, Loss(LossKind::squared), {.risk = {.alpha = 1}});
  EXPECT_NEAR(mean.model.intercept(0), 0.75, 1e-6);
  EXPECT_NEAR(mean.certificate.upper, 1.6875, 1e-6);
}

// Large data begins on a sample and leaves out rows below the tail.
TEST(RowWeights, large_data_has_the_optimum_of_all_its_rows) {
  Rng rng(3);
  Twins twins = any_twins(Task::regression, 30'000, rng);
  for (const LossKind kind : {LossKind::squared, LossKind::absolute}) {
    const ExactResult one = solve_exact(twins.weighted, Loss(kind), {.risk = {.alpha = 0.1}});
    const ExactResult other = solve_exact(twins.repeated, Loss(kind), {.risk = {.alpha = 0.1}});
    EXPECT_EQ(one.status, ExactStatus::optimal);
    EXPECT_NEAR(one.certificate.upper, other.certificate.upper, 2e-6 * other.certificate.upper);
  }
}

TEST(RowWeights, full_information_plays_the_game_of_repeated_rows) {
  Rng rng(4);
  const Twins twins = any_twins(Task::regression, 80, rng);
  const Loss loss(LossKind::squared);
  const double rows = static_cast<double>(twins.repeated.rows);
  const TrainOptions options{.alpha = std::floor(0.25 * rows) / rows,
                             .learner = Learner::btl,
                             .information = Information::full,
                             .epochs = 5};
  const LinearModel one = be_the_leader(twins.weighted, nullptr, loss, options).model;
  const LinearModel other = be_the_leader(twins.repeated, nullptr, loss, options).model;
  for (std::size_t i = 0; i < one.parameters().size(); ++i) {
    EXPECT_NEAR(one.parameters()[i], other.parameters()[i], 1e-6);
  }
}

TEST(RowWeights, that_are_no_weights_are_refused) {
  Rng rng(5);
  Dataset data = random_data(Task::regression, {.rows = 3, .features = 1}, rng);
  const auto solve = [&] { (void)solve_exact(data, Loss(LossKind::squared), {}); };
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    data.weights = {1, 2, bad};
    support::expect_words<DataError>(solve, "weight");
  }
  data.weights = {1, 2};
  support::expect_words<DataError>(solve, "3 rows");
}

}  // namespace
}  // namespace adacvar
