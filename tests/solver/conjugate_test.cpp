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

double minus_conjugate(const Loss& loss, double slope, double target) {
  if (!Conjugate::is_entropy(loss)) return Conjugate(loss).minus_value(slope, target).value;
  const double p = std::abs(slope);
  std::array<Conjugate::Term, 1> term{};
  Conjugate::entropies(std::array{p, 1 - p}, term);
  return term[0].value;
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
      const double value = minus_conjugate(made.loss, inside, made.target);
      EXPECT_LE(value, least + 1e-12) << kLossNames.of(kind);
      EXPECT_NEAR(value, least, 2e-3) << kLossNames.of(kind);
    }
  }
}

TEST(Conjugate, small_values_by_hand) {
  EXPECT_DOUBLE_EQ(minus_conjugate(Loss(LossKind::squared), 2, 3), -7);
  EXPECT_DOUBLE_EQ(minus_conjugate(Loss(LossKind::absolute), -0.5, 3), 1.5);
  EXPECT_DOUBLE_EQ(minus_conjugate(Loss(LossKind::hinge), -0.25, 1), 0.25);
  EXPECT_DOUBLE_EQ(minus_conjugate(Loss(LossKind::logistic), 0.5, 0), std::log(2));
  std::array<Conjugate::Term, 2> terms{};
  Conjugate::entropies(std::array{0.25, 0.25, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0}, terms);
  EXPECT_DOUBLE_EQ(terms[0].value, 1.5 * std::log(2));
  EXPECT_EQ(terms[1].value, 0);
}

// At the border of the domain nothing moves, and the loss's derivatives never leave it.
TEST(Conjugate, derivatives_of_the_loss_are_in_the_domain) {
  Rng rng(2);
  for (const LossKind kind : kKinds) {
    for (int trial = 0; trial < 500; ++trial) {
      const Case made = any_case(kind, rng);
      const Conjugate conjugate(made.loss);
      const Conjugate::Domain domain = conjugate.domain(made.target);
      const double slope = any_slope(made, rng);
      EXPECT_GE(slope, domain.low - 1e-15) << kLossNames.of(kind);
      EXPECT_LE(slope, domain.high + 1e-15) << kLossNames.of(kind);
      EXPECT_GE(conjugate.mobility(slope, made.target), 0) << kLossNames.of(kind);
      double loss = 0;
      double found = 0;
      made.loss.evaluate(std::array{10 * support::normal(rng)}, std::array{made.target},
                         std::span(&loss, 1), std::span(&found, 1));
      EXPECT_GE(found, domain.low) << kLossNames.of(kind);
      EXPECT_LE(found, domain.high) << kLossNames.of(kind);
      if (kind == LossKind::squared) continue;
      EXPECT_EQ(conjugate.mobility(domain.low, made.target), 0) << kLossNames.of(kind);
      EXPECT_EQ(conjugate.mobility(domain.high, made.target), 0) << kLossNames.of(kind);
    }
  }
}

}  // namespace
}  // namespace adacvar
