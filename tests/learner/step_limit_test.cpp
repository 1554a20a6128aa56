#include "learner/step_limit.hpp"

#include <adacvar/learner/train.hpp>

#include <gtest/gtest.h>

#include <sstream>

namespace adacvar {
namespace {

TEST(StepLimit, is_half_the_limit_of_mean_square_stability) {
  StepLimit limit(0.5);                 // steps add up to 2: rate < (2 / 2) E[trace] / E[trace^2]
  EXPECT_EQ(limit.factor(100.0), 1.0);  // nothing is known yet
  limit.observe(2.0);
  limit.observe(4.0);
  // Half of 3 / 10 is 0.15.
  EXPECT_EQ(limit.factor(0.15), 1.0);
  EXPECT_DOUBLE_EQ(limit.factor(0.3), 0.5);
}

TEST(StepLimit, guards_a_batch_that_is_unstable_on_its_own) {
  const StepLimit limit(0.5);
  EXPECT_EQ(limit.guard(0.1, 10.0), 1.0);
  EXPECT_DOUBLE_EQ(limit.guard(0.1, 40.0), 0.25);
}

TEST(StepLimit, resumes_from_its_saved_state) {
  StepLimit limit(0.9);
  limit.observe(2.0);
  limit.observe(7.0);
  std::stringstream stream;
  limit.save(stream);
  StepLimit loaded(0.9);
  loaded.load(stream);
  loaded.observe(3.0);
  limit.observe(3.0);
  EXPECT_EQ(loaded.factor(1.0), limit.factor(1.0));
}

// One feature; 4 rows in 100 are 15 times as long as the others and follow another line.
Dataset two_lines() {
  Dataset data;
  data.rows = 1000;
  data.features = 1;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const float sign = i % 2 == 0 ? 1.0F : -1.0F;
    const bool heavy = i % 50 < 2;
    const float x = heavy ? 15.0F * sign : sign;
    data.dense.push_back(x);
    data.targets.push_back(static_cast<double>(x) * (heavy ? 0.5 : 1.0));
  }
  return data;
}

// Least squares weights heavy rows by their length: (0.96 * 1 + 0.04 * 225 * 0.5) / (0.96 + 9) is
// 0.548. Steps that are shortened only for batches with heavy rows end well above it.
TEST(StepLimit, heavy_rows_keep_their_weight) {
  const Dataset data = two_lines();
  TrainOptions options;
  options.algorithm = Algorithm::mean;
  for (const std::uint64_t batch : {8, 64}) {
    options.batch = batch;
    options.learning_rate = 0.05;
    const TrainResult result = train(data, nullptr, Loss(LossKind::squared), options);
    EXPECT_NEAR(result.model.parameters()[0], 0.548, 0.01) << batch;
  }
}

}  // namespace
}  // namespace adacvar
