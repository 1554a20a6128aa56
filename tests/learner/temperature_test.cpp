#include "learner/temperature.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace adacvar {
namespace {

const Loss kLogistic(LossKind::logistic);

// Scores of three rows of class 1 and one of class 0, all the same but for the sign of what is
// right.
struct Rows {
  Dataset data;
  std::vector<double> scores;
};

Rows four_rows() {
  Rows rows;
  rows.data.rows = 4;
  rows.data.task = Task::binary;
  rows.data.class_names = {"0", "1"};
  rows.data.targets = {1, 1, 1, 0};
  rows.scores = {2, 2, 2, 2};
  return rows;
}

TEST(Temperature, mean_loss_by_hand) {
  const Rows rows = four_rows();
  // Three of four are class 1: the best score is log 3.
  const double factor = best_factor(rows.scores, rows.data, kLogistic, {.risk = {0.25, 1}});
  EXPECT_NEAR(2 * factor, std::log(3), 1e-5);
  const TailRisk risk = risk_with_factor(rows.scores, rows.data, kLogistic, 0.25, factor);
  EXPECT_NEAR(risk.mean, -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-9);
  EXPECT_NEAR(risk.cvar, std::log(4), 1e-5);
}

TEST(Temperature, cvar_alone_flattens_unless_the_mean_is_kept) {
  const Rows rows = four_rows();
  const Risk tail{0.25, 0};
  // The worst row is the one of class 0, whose loss is least with the smallest factor.
  EXPECT_NEAR(best_factor(rows.scores, rows.data, kLogistic, {.risk = tail}), 1.0 / 64, 1e-5);
  // The mean at score 2 is also that at a score below log 3; further the mean would rise.
  const double kept =
      best_factor(rows.scores, rows.data, kLogistic, {.risk = tail, .keeps_mean = true});
  const TailRisk before = risk_with_factor(rows.scores, rows.data, kLogistic, 0.25, 1);
  const TailRisk after = risk_with_factor(rows.scores, rows.data, kLogistic, 0.25, kept);
  EXPECT_NEAR(after.mean, before.mean, 1e-5);
  EXPECT_LT(2 * kept, std::log(3));
  EXPECT_LT(after.cvar, before.cvar);
}

TEST(Temperature, a_budget_is_spent_on_the_tail) {
  Rng rng(3);
  for (int round = 0; round < 20; ++round) {
    Rows rows;
    rows.data = support::random_data(Task::binary, {.rows = 200, .features = 1, .noise = 2}, rng);
    for (std::size_t i = 0; i < rows.data.rows; ++i) {
      rows.scores.push_back(3 * static_cast<double>(rows.data.dense[i]));
    }
    const double factor =
        best_factor(rows.scores, rows.data, kLogistic, {.risk = {0.1, 0}, .mean_budget = 0.05});
    // A grid of factors is the slow twin.
    double least_mean = std::numeric_limits<double>::infinity();
    for (double l = -4; l <= 4; l += 0.01) {
      least_mean = std::min(
          least_mean, risk_with_factor(rows.scores, rows.data, kLogistic, 0.1, std::exp(l)).mean);
    }
    double least = std::numeric_limits<double>::infinity();
    for (double l = -4; l <= 4; l += 0.01) {
      const TailRisk risk = risk_with_factor(rows.scores, rows.data, kLogistic, 0.1, std::exp(l));
      if (risk.mean <= 1.05 * least_mean) least = std::min(least, risk.cvar);
    }
    const TailRisk found = risk_with_factor(rows.scores, rows.data, kLogistic, 0.1, factor);
    EXPECT_LE(found.mean, 1.05 * least_mean * (1 + 1e-4));
    EXPECT_LE(found.cvar, least * (1 + 1e-4));
  }
}

TEST(Temperature, a_factor_gives_way_to_a_limit) {
  const Rows rows = four_rows();
  const RiskLimit limit{RiskLimit::Of::mean,
                        risk_with_factor(rows.scores, rows.data, kLogistic, 0.25, 0.8).mean};
  EXPECT_NEAR(factor_within(0.7, rows.scores, rows.data, kLogistic, 0.25, limit), 0.7, 1e-5);
  const RiskLimit tail{RiskLimit::Of::cvar,
                       risk_with_factor(rows.scores, rows.data, kLogistic, 0.25, 1.5).cvar};
  EXPECT_NEAR(factor_within(3, rows.scores, rows.data, kLogistic, 0.25, tail), 1.5, 1e-4);
}

}  // namespace
}  // namespace adacvar
