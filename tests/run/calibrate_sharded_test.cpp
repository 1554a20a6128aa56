#include "run/calibrate.hpp"

#include <adacvar/base/rng.hpp>

#include "base/thread_communicator.hpp"
#include "support/deal_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

struct Calibrated {
  std::optional<Calibration> calibration;
  std::vector<double> parameters;
};

// Classes drawn with the odds e^(2 x), of which the model says e^(6 x): a temperature of 3.
PreparedData overconfident(std::size_t rows, bool weighted) {
  Dataset valid;
  valid.rows = rows;
  valid.features = 1;
  valid.task = Task::binary;
  valid.class_names = {"no", "yes"};
  Rng rng(5);
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = 4 * rng.uniform() - 2;
    valid.dense.push_back(static_cast<float>(x));
    valid.targets.push_back(rng.uniform() < 1 / (1 + std::exp(-2 * x)) ? 1 : 0);
    if (weighted) valid.weights.push_back(1 + rng.below(4));
  }
  Preprocessor::Parts parts;
  parts.sparse = true;
  parts.sparse_columns = {0};
  parts.sparse_scales = {1};
  parts.sparse_width = 1;
  return {Preprocessor(parts), {}, std::move(valid), {}, {}, {}, {}, {}, {}, {}};
}

LinearModel confident_model() {
  LinearModel model(1, 1);
  model.parameters()[0] = 6;
  return model;
}

Calibrated calibrate_on(std::size_t count, const Dataset& valid, const TrainOptions& options) {
  std::vector<Calibrated> results(count);
  run_on_threads(count, [&](Communicator& ranks) {
    const ShardedRows rows = support::deal_rows(valid, ranks);
    LinearModel model = confident_model();
    Calibrated& result = results[ranks.rank()];
    result.calibration = calibrate_sharded(ranks, rows, Loss(LossKind::logistic),
                                           CalibrateChoice::automatic, options, model);
    result.parameters.assign(model.parameters().begin(), model.parameters().end());
  });
  for (const Calibrated& result : results) EXPECT_EQ(result.parameters, results[0].parameters);
  return results[0];
}

TEST(CalibrateSharded, finds_the_temperature_of_one_process) {
  for (const bool weighted : {false, true}) {
    for (const Algorithm algorithm : {Algorithm::mean, Algorithm::adacvar}) {
      const PreparedData data = overconfident(1000, weighted);
      TrainOptions options;
      options.algorithm = algorithm;
      const Calibrated two = calibrate_on(2, data.valid, options);
      EXPECT_EQ(two.parameters, calibrate_on(1, data.valid, options).parameters);

      const Loss loss(LossKind::logistic);
      Outcome outcome{.options = options, .result = {.model = confident_model(), .history = {}}};
      Calibrator(data, loss, CalibrateChoice::automatic).calibrate(outcome, std::nullopt);
      ASSERT_TRUE(two.calibration && outcome.calibration);
      // The search ends within 1e-6 of the least risk, where rounding decides.
      EXPECT_NEAR(two.calibration->temperature, outcome.calibration->temperature, 1e-5);
      EXPECT_NEAR(two.calibration->before.cvar, outcome.calibration->before.cvar, 1e-12);
      if (algorithm == Algorithm::mean) {
        EXPECT_NEAR(two.calibration->temperature, 3, 0.5);
      }
    }
  }
}

TEST(CalibrateSharded, leaves_a_model_alone_that_has_too_few_validation_rows) {
  const PreparedData data = overconfident(49, false);
  TrainOptions options;
  options.algorithm = Algorithm::mean;
  const Calibrated result = calibrate_on(2, data.valid, options);
  EXPECT_FALSE(result.calibration);
  EXPECT_EQ(result.parameters, (std::vector<double>{6, 0}));
}

}  // namespace
}  // namespace adacvar
