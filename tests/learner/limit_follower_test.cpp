#include "learner/limit_follower.hpp"

#include "base/state_stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

namespace adacvar {
namespace {

using Values = std::vector<double>;
constexpr std::size_t kRows = 100;
constexpr RiskLimit kMean{RiskLimit::Of::mean, 2.0};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(LimitFollower, first_step_by_hand) {
  LimitFollower follower(kMean, {.alpha = 0.5}, kRows, 50);
  EXPECT_EQ(follower.gamma(), 0.5);
  // The mean is (3 * 1 + 1 * 5) / 4 = 2.1 with the importance 3 and 1: 5 % above.
  EXPECT_TRUE(follower.observe(Values{1.0, 5.4}, Values{3, 1}));
  EXPECT_NEAR(follower.excess(), 0.05, 1e-12);
  EXPECT_NEAR(follower.gamma(), sigmoid(4 * 0.05 * 0.02 + 8 * 0.05), 1e-12);
}

TEST(LimitFollower, a_limit_on_the_cvar_moves_gamma_the_other_way) {
  // CVaR of the worse half, 2.2: 10 % above its limit of 2.
  LimitFollower follower({RiskLimit::Of::cvar, 2.0}, {.alpha = 0.5}, kRows, 50);
  EXPECT_TRUE(follower.observe(Values{1.0, 2.2}, Values{1, 1}));
  EXPECT_NEAR(follower.gamma(), sigmoid(-4 * 0.1 * 0.02 - 8 * 0.1), 1e-12);
}

TEST(LimitFollower, gamma_stays_between_the_given_one_and_1) {
  for (const double loss : {1e-3, 1e3}) {
    LimitFollower follower(kMean, {.alpha = 0.1, .gamma = 0.3}, kRows, 500);
    for (std::size_t i = 0; i < 400 * kRows; ++i) follower.observe(Values{loss}, Values{1});
    if (loss < 1) {
      EXPECT_GE(follower.gamma(), 0.3);
      EXPECT_LT(follower.gamma(), 0.31);
    } else {
      EXPECT_LE(follower.gamma(), 1.0);
      EXPECT_GT(follower.gamma(), 0.99);
    }
  }
}

// A model whose mean loss approaches 1.5 - gamma by a fifth of the distance an epoch: at the limit
// of 0.8 gamma is 0.7, in any units.
TEST(LimitFollower, finds_the_gamma_at_which_a_slow_model_meets_the_limit) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    LimitFollower follower({RiskLimit::Of::mean, 0.8 * unit}, {.alpha = 0.1}, kRows, 100);
    double mean = 3.0;
    for (std::size_t draw = 0; draw < 100 * kRows; ++draw) {
      mean += 0.2 / kRows * (1.5 - follower.gamma() - mean);
      follower.observe(Values{unit * mean}, Values{1});
    }
    EXPECT_NEAR(mean, 0.8, 0.002);
    EXPECT_NEAR(follower.mean_gamma(), 0.7, 0.01);
  }
}

TEST(LimitFollower, measured_values_take_a_step_an_epoch) {
  LimitFollower follower(kMean, {.alpha = 0.5}, kRows, 50);
  follower.measure(1.9);
  EXPECT_NEAR(follower.excess(), -0.05, 1e-12);
  EXPECT_NEAR(follower.gamma(), sigmoid(-4 * 0.05 - 8 * 0.05), 1e-12);
}

TEST(LimitFollower, the_rest_of_an_average_makes_up_for_its_beginning) {
  LimitFollower follower(kMean, {.alpha = 0.5}, kRows, 20);
  for (int epoch = 1; epoch < 15; ++epoch) follower.measure(2.0);
  follower.measure_average(2.02);  // 1 % too much over 5 epochs: 1 % less in the 5 that are left
  follower.measure(1.98);
  EXPECT_NEAR(follower.gamma(), 0.5, 1e-12);
}

TEST(LimitFollower, a_loaded_state_goes_on_the_same_way) {
  LimitFollower one(kMean, {.alpha = 0.5}, kRows, 20);
  const auto go_on = [](LimitFollower& follower, std::size_t from) {
    for (std::size_t draw = from; draw < from + 12 * kRows; ++draw) {
      follower.observe(Values{2 + std::sin(static_cast<double>(draw))}, Values{1});
    }
    follower.measure_average(2.1);
    follower.measure(2.1);
  };
  go_on(one, 0);
  StateWriter writer("TESTTEST", 1);
  one.save(writer);
  std::stringstream stream;
  writer.write_to(stream);
  LimitFollower other(kMean, {.alpha = 0.5}, kRows, 20);
  StateReader reader(stream, "TESTTEST", 1);
  other.load(reader);
  reader.finish();
  go_on(one, 7);
  go_on(other, 7);
  EXPECT_EQ(one.gamma(), other.gamma());
  EXPECT_EQ(one.mean_gamma(), other.mean_gamma());
}

}  // namespace
}  // namespace adacvar
