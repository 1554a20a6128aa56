#include <adacvar/learner/optimizer.hpp>

#include "support/expect_words.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using Values = std::vector<double>;

TEST(Optimizer, momentum_by_hand) {
  Optimizer sgd(1, {.momentum = 0.5});
  Values theta{1.0};
  sgd.step(theta, Values{2.0}, 0.1);  // v = 2
  EXPECT_DOUBLE_EQ(theta[0], 0.8);
  sgd.step(theta, Values{1.0}, 0.1);  // v = 2
  EXPECT_DOUBLE_EQ(theta[0], 0.6);
}

TEST(Optimizer, nesterov_looks_ahead) {
  Optimizer sgd(1, {.momentum = 0.5, .nesterov = true});
  Values theta{1.0};
  sgd.step(theta, Values{2.0}, 0.1);  // v = 2, move 2 + 1
  EXPECT_DOUBLE_EQ(theta[0], 0.7);
}

TEST(Optimizer, first_step_of_adam_has_the_length_of_the_rate) {
  Optimizer adam(2, {.kind = OptimizerKind::adam});
  Values theta{0.0, 0.0};
  adam.step(theta, Values{1e-3, -50.0}, 0.1);
  EXPECT_NEAR(theta[0], -0.1, 1e-5);
  EXPECT_NEAR(theta[1], 0.1, 1e-5);
}

TEST(Optimizer, weight_decay_shrinks) {
  Optimizer sgd(1, {.momentum = 0, .weight_decay = 0.5});
  Values theta{2.0};
  sgd.step(theta, Values{0.0}, 0.1);
  EXPECT_DOUBLE_EQ(theta[0], 1.9);
}

TEST(Optimizer, all_kinds_find_the_minimum_of_a_parabola) {
  for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
    Optimizer optimizer(1, {.kind = kind});
    Values theta{5.0};
    for (int t = 0; t < 2000; ++t) optimizer.step(theta, Values{2 * (theta[0] - 3)}, 0.01);
    EXPECT_NEAR(theta[0], 3.0, 1e-3);
  }
}

TEST(Optimizer, bad_options_are_named) {
  support::expect_words<OptionError>([] { Optimizer(1, {.momentum = 1}); },
                                     "momentum = 1 is outside [0, 1)");
  support::expect_words<OptionError>([] { Optimizer(1, {.weight_decay = -1}); },
                                     "weight-decay = -1 is outside [0, inf)");
}

}  // namespace
}  // namespace adacvar
