#include "run/blend.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using Scores = std::vector<double>;

Dataset rows_with(Task task, std::vector<double> targets) {
  Dataset data;
  data.rows = targets.size();
  data.task = task;
  data.targets = std::move(targets);
  if (task == Task::binary) data.class_names = {"0", "1"};
  return data;
}

auto between(const Scores& plain, const Scores& tail) {
  return [&](double share) {
    Scores scores(plain.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = std::lerp(plain[i], tail[i], share);
    }
    return scores;
  };
}

const Loss kSquared(LossKind::squared);
const Loss kLogistic(LossKind::logistic);

TEST(JudgedAlpha, has_twenty_rows_in_its_tail) {
  const auto with_rows = [](std::size_t rows) {
    return rows_with(Task::regression, std::vector<double>(rows));
  };
  EXPECT_EQ(judged_alpha(0.1, with_rows(1000)), 0.1);
  EXPECT_EQ(judged_alpha(0.01, with_rows(1000)), 0.02);
  EXPECT_EQ(judged_alpha(0.01, with_rows(200)), 0.1);
  EXPECT_EQ(judged_alpha(0.01, with_rows(199)), std::nullopt);
  EXPECT_EQ(judged_alpha(0.5, with_rows(40)), 0.5);
  EXPECT_EQ(judged_alpha(0.5, with_rows(39)), std::nullopt);
  EXPECT_EQ(judged_alpha(0.1, with_rows(0)), std::nullopt);
  Dataset weighted = with_rows(100);
  weighted.weights.assign(100, 10.0);
  EXPECT_EQ(judged_alpha(0.1, weighted), 0.1);
}

TEST(Blend, goes_as_far_as_the_mean_budget_allows) {
  const Dataset data = rows_with(Task::regression, {0, 0, 0, 0});
  const Scores plain{0, 0, 0, 2};         // losses 0, 0, 0, 4: mean 1, worst quarter 4
  const Scores tail{1.1, 1.1, 1.1, 1.1};  // mean and worst 1.21
  const BlendRule rule{.alpha = 0.25, .mean_budget = 0.02, .has_factor = false};
  const BlendChoice choice = choose_blend(between(plain, tail), data, kSquared, rule);
  // At 0.8 the residuals are 0.88, 0.88, 0.88, 1.28: mean 0.9904; at 0.9 it is 1.0891 > 1.02.
  EXPECT_DOUBLE_EQ(choice.share, 0.8);
  EXPECT_EQ(choice.factor, 1);
  EXPECT_DOUBLE_EQ(choice.plain.mean, 1);
  EXPECT_DOUBLE_EQ(choice.plain.cvar, 4);
  EXPECT_NEAR(choice.chosen.mean, 0.9904, 1e-12);
  EXPECT_NEAR(choice.chosen.cvar, 1.28 * 1.28, 1e-12);
}

TEST(Blend, keeps_plain_training_if_nothing_is_better) {
  const Dataset data = rows_with(Task::regression, {0, 0, 0, 0});
  const Scores plain{0, 0, 0, 2};
  const Scores tail{0, 0, 0, 20};
  BlendRule rule{.alpha = 0.25, .mean_budget = 1000, .has_factor = false};
  EXPECT_EQ(choose_blend(between(plain, tail), data, kSquared, rule).share, 0);
  rule.is_plain = true;  // the tail's scores are not asked for
  const BlendChoice alone = choose_blend(
      [&](double share) {
        EXPECT_EQ(share, 0);
        return plain;
      },
      data, kSquared, rule);
  EXPECT_EQ(alone.share, 0);
  EXPECT_EQ(alone.chosen.cvar, 4);
}

// Against all shares and a fine grid of factors, on random scores.
TEST(Blend, of_classes_is_as_good_as_a_grid_of_factors) {
  Rng rng(11);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> targets;
    Scores plain;
    Scores tail;
    for (int i = 0; i < 60; ++i) {
      targets.push_back(rng.uniform() < 0.4 ? 1 : 0);
      const double signal = targets.back() > 0 ? 1 : -1;
      plain.push_back(3 * (signal + 4 * (rng.uniform() - 0.5)));
      tail.push_back(signal + 3 * (rng.uniform() - 0.5));
    }
    const Dataset data = rows_with(Task::binary, targets);
    const BlendRule rule{.alpha = 0.2, .mean_budget = 0.05};
    const auto scores_at = between(plain, tail);
    const BlendChoice choice = choose_blend(scores_at, data, kLogistic, rule);
    const auto risk_at = [&](double share, double factor) {
      Scores scores = scores_at(share);
      for (double& score : scores) score *= factor;
      Scores losses(scores.size());
      kLogistic.evaluate(scores, data.targets, losses, scores);
      return tail_risk(losses, rule.alpha);
    };
    double least_mean = 1e9;
    for (double factor = 1.0 / 64; factor < 64; factor *= 1.01) {
      least_mean = std::min(least_mean, risk_at(0, factor).mean);
    }
    EXPECT_NEAR(choice.plain.mean, least_mean, 1e-3 * least_mean);
    double least_cvar = 1e9;
    for (int k = 0; k <= 10; ++k) {
      for (double factor = 1.0 / 64; factor < 64; factor *= 1.01) {
        const TailRisk risk = risk_at(k / 10.0, factor);
        if (risk.mean <= 1.05 * choice.plain.mean) least_cvar = std::min(least_cvar, risk.cvar);
      }
    }
    EXPECT_LE(choice.chosen.cvar, least_cvar * (1 + 1e-6));
    EXPECT_GE(choice.chosen.cvar, least_cvar * 0.98);  // the grid's factors are 1 % apart
    EXPECT_LE(choice.chosen.mean, 1.05 * choice.plain.mean);
    EXPECT_LE(choice.chosen.cvar, choice.plain.cvar);
    const TailRisk again = risk_at(choice.share, choice.factor);
    EXPECT_DOUBLE_EQ(again.cvar, choice.chosen.cvar);
  }
}

}  // namespace
}  // namespace adacvar
