#include "solver/conjugate.hpp"

#include "support/small_problems.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace adacvar {
namespace {

constexpr std::array kKinds{LossKind::squared, LossKind::absolute, LossKind::huber,
                            LossKind::pinball, LossKind::logistic, LossKind::hinge};

struct Case {
  Loss loss;
  double target;
};

Case any_case(LossKind kind, Rng& rng) {
  const bool is_class = support::task_of(kind) != Task::regression;
  return {Loss(kind, 0.2 + 2 * rng.uniform(), 0.1 + 0.8 * rng.uniform()),
          is_class ? static_cast<double>(rng.below(2)) : support::normal(rng)};
}

// A slope inside the domain, now and then next to its border.
double any_slope(const Case& made, Rng& rng) {
  const double place = rng.below(4) == 0 ? 1e-9 * rng.uniform() : rng.uniform();
  const double share = rng.below(2) == 0 ? place : 1 - place;
  switch (made.loss.kind()) {
    case LossKind::squared:
      return 10 * share - 5;
    case LossKind::absolute:
      return 2 * share - 1;
    case LossKind::huber:
      return made.loss.delta() * (2 * share - 1);
    case LossKind::pinball:
      return share - made.loss.tau();
    default:
      return made.target > 0.5 ? -share : share;
  }
}

double loss_at(const Case& made, double score) {
  double loss = 0;
  double slope = 0;
  made.loss.evaluate(std::array{score}, std::array{made.target}, std::span(&loss, 1),
                     std::span(&slope, 1));
  return loss;
}

// -L*(u) = min over s of L(s) - u s: a bound from below for every s, attained on a fine grid.
TEST(Conjugate, is_the_least_of_the_loss_less_a_line) {
  Rng rng(1);
  for (const LossKind kind : kKinds) {
    for (int trial = 0; trial < 20; ++trial) {
      const Case made = any_case(kind, rng);
      const double slope = 0.1 + 0.8 * rng.uniform();
      const double inside = any_slope(made, rng) * slope;  // not next to the border
      double least = std::numeric_limits<double>::infinity();
      for (double score = -20; score <= 20; score += 1e-3) {
        least = std::min(least, loss_at(made, score) - inside * score);
      }
      const double value = Conjugate(made.loss).minus_value(inside, made.target).value;
      EXPECT_LE(value, least + 1e-12) << kLossNames.of(kind);
      EXPECT_NEAR(value, least, 2e-3) << kLossNames.of(kind);
    }
  }
}

TEST(Conjugate, small_values_by_hand) {
  EXPECT_DOUBLE_EQ(Conjugate(Loss(LossKind::squared)).minus_value(2, 3).value, -7);
  EXPECT_DOUBLE_EQ(Conjugate(Loss(LossKind::absolute)).minus_value(-0.5, 3).value, 1.5);
  EXPECT_DOUBLE_EQ(Conjugate(Loss(LossKind::hinge)).minus_value(-0.25, 1).value, 0.25);
  EXPECT_DOUBLE_EQ(Conjugate(Loss(LossKind::logistic)).minus_value(0.5, 0).value, std::log(2));
  EXPECT_DOUBLE_EQ(Conjugate::entropy(std::array{0.25, 0.25, 0.5, 0.0}).value, 1.5 * std::log(2));
}

// Moving a slope by twice its mobility times a turn that is allowed stays in the domain.
TEST(Conjugate, allowed_turns_stay_inside) {
  Rng rng(2);
  for (const LossKind kind : kKinds) {
    for (int trial = 0; trial < 2000; ++trial) {
      const Case made = any_case(kind, rng);
      const Conjugate conjugate(made.loss);
      const double slope = any_slope(made, rng);
      const double most = 2 * conjugate.most_turn() * conjugate.mobility(slope, made.target);
      for (const double moved : {slope - most, slope + most}) {
        EXPECT_EQ(conjugate.clipped(moved, made.target), moved) << kLossNames.of(kind) << slope;
        EXPECT_GE(conjugate.allowed_factor(moved, made.target), 1 - 1e-15)
            << kLossNames.of(kind) << " " << slope;
      }
    }
  }
}

// The derivatives of q (-L*(p / q)) by p and q, by differences, wherever an allowed turn leads.
TEST(Conjugate, rates_are_limits) {
  Rng rng(3);
  for (const LossKind kind : kKinds) {
    for (int trial = 0; trial < 2000; ++trial) {
      const Case made = any_case(kind, rng);
      const Conjugate conjugate(made.loss);
      const double slope = any_slope(made, rng);
      const double mobility = conjugate.mobility(slope, made.target);
      if (mobility < 1e-7) continue;  // no differences so near to the border
      const Conjugate::Rates rates = conjugate.rates(slope, made.target);
      const double turn = (2 * rng.uniform() - 1) * conjugate.most_turn();
      const double there = slope + 2 * turn * mobility;
      const double step = 1e-3 * conjugate.mobility(there, made.target);
      const auto value = [&](double p, double q) {
        return q * conjugate.minus_value(p / q, made.target).value;
      };
      const double by_product = (value(there + step, 1) - value(there - step, 1)) / (2 * step);
      EXPECT_LE(std::abs(by_product), rates.by_product * (1 + 1e-6) + 1e-6) << kLossNames.of(kind);
      const double by_weight = (value(there, 1 + 1e-6) - value(there, 1 - 1e-6)) / 2e-6;
      EXPECT_LE(std::abs(by_weight), rates.by_weight * (1 + 1e-6) + 1e-6) << kLossNames.of(kind);
    }
  }
}

}  // namespace
}  // namespace adacvar
