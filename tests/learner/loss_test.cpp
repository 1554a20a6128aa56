#include <adacvar/learner/loss.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

struct Point {
  double loss;
  double derivative;
};

Point at(const Loss& loss, double score, double target) {
  Point point{};
  loss.evaluate(std::span(&score, 1), std::span(&target, 1), std::span(&point.loss, 1),
                std::span(&point.derivative, 1));
  return point;
}

TEST(Loss, values_and_derivatives_by_hand) {
  EXPECT_EQ(at(Loss(LossKind::squared), 3, 1).loss, 4);
  EXPECT_EQ(at(Loss(LossKind::squared), 3, 1).derivative, 4);
  EXPECT_EQ(at(Loss(LossKind::absolute), 1, 3).loss, 2);
  EXPECT_EQ(at(Loss(LossKind::absolute), 1, 3).derivative, -1);
  EXPECT_EQ(at(Loss(LossKind::huber, 2), 1.5, 0).loss, 1.125);
  EXPECT_EQ(at(Loss(LossKind::huber, 2), -5, 0).loss, 8);  // 2 * (5 - 1)
  EXPECT_EQ(at(Loss(LossKind::huber, 2), -5, 0).derivative, -2);
  EXPECT_EQ(at(Loss(LossKind::pinball, 1, 0.9), 0, 2).loss, 1.8);  // below the target: tau
  EXPECT_NEAR(at(Loss(LossKind::pinball, 1, 0.9), 2, 0).loss, 0.2, 1e-15);
  EXPECT_DOUBLE_EQ(at(Loss(LossKind::logistic), 0, 1).loss, std::log(2.0));
  EXPECT_EQ(at(Loss(LossKind::logistic), 0, 1).derivative, -0.5);
  EXPECT_EQ(at(Loss(LossKind::logistic), 0, 0).derivative, 0.5);
  EXPECT_EQ(at(Loss(LossKind::hinge), 0.25, 1).loss, 0.75);
  EXPECT_EQ(at(Loss(LossKind::hinge), 0.25, 0).loss, 1.25);
  EXPECT_EQ(at(Loss(LossKind::hinge), 2, 1).derivative, 0);
}

TEST(Loss, softmax_of_two_classes_is_logistic) {
  const Loss softmax(LossKind::softmax);
  for (const double score : {-700.0, -3.0, 0.0, 0.5, 40.0}) {
    const std::array<double, 2> scores{0.0, score};
    for (const double target : {0.0, 1.0}) {
      double loss = 0;
      std::array<double, 2> derivatives{};
      softmax.evaluate(scores, std::span(&target, 1), std::span(&loss, 1), derivatives);
      const Point expected = at(Loss(LossKind::logistic), score, target);
      EXPECT_NEAR(loss, expected.loss, 1e-13 * (1 + expected.loss));
      EXPECT_NEAR(derivatives[1], expected.derivative, 1e-14);
      EXPECT_NEAR(derivatives[0], -expected.derivative, 1e-14);
    }
  }
}

TEST(Loss, derivatives_are_those_of_the_losses) {
  constexpr double kStep = 1e-6;
  for (const auto kind : {LossKind::squared, LossKind::absolute, LossKind::huber, LossKind::pinball,
                          LossKind::logistic, LossKind::hinge}) {
    const Loss loss(kind, 0.7, 0.3);
    for (const double score : {-3.1, -0.6, 0.4, 2.2}) {
      for (const double target : {0.0, 1.0}) {
        const double difference =
            (at(loss, score + kStep, target).loss - at(loss, score - kStep, target).loss) /
            (2 * kStep);
        EXPECT_NEAR(at(loss, score, target).derivative, difference, 1e-7);
      }
    }
  }
}

TEST(Loss, large_scores_do_not_overflow) {
  for (const double score : {1e300, -1e300}) {
    for (const double target : {0.0, 1.0}) {
      EXPECT_TRUE(std::isfinite(at(Loss(LossKind::logistic), score, target).loss));
      EXPECT_TRUE(std::isfinite(at(Loss(LossKind::hinge), score, target).loss));
      EXPECT_TRUE(std::isfinite(at(Loss(LossKind::huber), score, target).loss));
    }
  }
  const std::array<double, 3> scores{1e300, -1e300, 0.0};
  const double target = 1;
  double loss = 0;
  std::array<double, 3> derivatives{};
  Loss(LossKind::softmax).evaluate(scores, std::span(&target, 1), std::span(&loss, 1), derivatives);
  EXPECT_EQ(loss, 2e300);
  EXPECT_EQ(derivatives[1], -1);
}

TEST(Loss, fits_its_tasks_only) {
  EXPECT_TRUE(Loss(LossKind::squared).fits(Task::regression));
  EXPECT_FALSE(Loss(LossKind::squared).fits(Task::binary));
  EXPECT_TRUE(Loss(LossKind::hinge).fits(Task::binary));
  EXPECT_FALSE(Loss(LossKind::hinge).fits(Task::multiclass));
  EXPECT_TRUE(Loss(LossKind::softmax).fits(Task::multiclass));
  EXPECT_EQ(Loss::of_task(Task::multiclass).kind(), LossKind::softmax);
  EXPECT_EQ(Loss::of_task(Task::binary).kind(), LossKind::logistic);
  EXPECT_EQ(Loss::of_task(Task::regression).kind(), LossKind::squared);
}

TEST(Loss, bad_parameters_are_named) {
  expect_words<OptionError>([] { Loss(LossKind::huber, 0); }, "delta = 0 is outside (0, inf)");
  expect_words<OptionError>([] { Loss(LossKind::pinball, 1, 1); }, "tau = 1 is outside (0, 1)");
}

}  // namespace
}  // namespace adacvar
