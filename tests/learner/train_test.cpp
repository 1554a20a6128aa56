#include <adacvar/adacvar.hpp>

#include "learner/resolve_defaults.hpp"

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;

// y = 2 x_0 - x_1 + 0.5, with a share of outliers, which are the tail.
Dataset line(std::size_t rows, double outliers = 0.0, std::uint64_t seed = 1) {
  Rng rng(seed);
  Dataset data;
  data.rows = rows;
  data.features = 2;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = 2 * rng.uniform() - 1;
    const double b = 2 * rng.uniform() - 1;
    data.dense.push_back(static_cast<float>(a));
    data.dense.push_back(static_cast<float>(b));
    const bool off = rng.uniform() < outliers;
    data.targets.push_back(2 * a - b + 0.5 + 0.1 * (rng.uniform() - 0.5) + (off ? 3 : 0));
  }
  return data;
}

Dataset classes(std::size_t rows, std::size_t count) {
  Rng rng(2);
  Dataset data;
  data.rows = rows;
  data.features = 2;
  data.task = count == 2 ? Task::binary : Task::multiclass;
  for (std::size_t c = 0; c < count; ++c) data.class_names.push_back(std::to_string(c));
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t own = rng.below(static_cast<std::uint32_t>(count));
    const double angle = 6.28318 * static_cast<double>(own) / static_cast<double>(count);
    data.dense.push_back(static_cast<float>(std::cos(angle) + 0.6 * (rng.uniform() - 0.5)));
    data.dense.push_back(static_cast<float>(std::sin(angle) + 0.6 * (rng.uniform() - 0.5)));
    data.targets.push_back(static_cast<double>(own));
  }
  return data;
}

Dataset sparse_copy(const Dataset& dense) {
  Dataset sparse = dense;
  sparse.dense.clear();
  sparse.start = {0};
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::size_t f = 0; f < dense.features; ++f) {
      sparse.column.push_back(static_cast<std::uint32_t>(f));
      sparse.value.push_back(dense.dense[i * dense.features + f]);
    }
    sparse.start.push_back(sparse.value.size());
  }
  return sparse;
}

double training_cvar(const TrainResult& result, const Dataset& data, const Loss& loss,
                     double alpha) {
  return cvar(losses_of(result.model, data, loss), alpha);
}

TEST(LinearModel, gradient_is_the_derivative_of_the_scores) {
  const Dataset data = classes(5, 3);
  LinearModel model(2, 3);
  Rng rng(1);
  for (double& value : model.parameters()) value = rng.uniform() - 0.5;
  const std::vector<Index> rows{4, 0, 2, 2};
  std::vector<double> derivatives(12);
  for (double& derivative : derivatives) derivative = rng.uniform() - 0.5;
  const auto total = [&] {
    std::vector<double> scores(12);
    model.scores(data, rows, scores);
    double sum = 0;
    for (std::size_t e = 0; e < 12; ++e) sum += derivatives[e] * scores[e];
    return sum;
  };
  std::vector<double> gradient(9, 0.0);
  model.add_gradient(data, rows, derivatives, gradient);
  for (std::size_t i = 0; i < 9; ++i) {
    const double before = total();
    model.parameters()[i] += 1.0;  // scores are linear in the parameters
    EXPECT_NEAR(total() - before, gradient[i], 1e-12);
    model.parameters()[i] -= 1.0;
  }
}

TEST(LinearModel, sparse_rows_score_as_dense_ones) {
  const Dataset dense = line(20);
  const Dataset sparse = sparse_copy(dense);
  LinearModel model(2, 1);
  model.parameters()[0] = 0.3;
  model.parameters()[1] = -2;
  model.parameters()[2] = 1;
  EXPECT_EQ(losses_of(model, dense, Loss(LossKind::squared)),
            losses_of(model, sparse, Loss(LossKind::squared)));
}

TEST(Train, mean_finds_the_line) {
  const Dataset data = line(500);
  const TrainResult result =
      train(data, nullptr, Loss(LossKind::squared), {.algorithm = Algorithm::mean});
  EXPECT_EQ(result.stop_reason, StopReason::epochs);
  EXPECT_EQ(result.epochs, 50U);
  EXPECT_NEAR(result.model.parameters()[0], 2.0, 0.02);
  EXPECT_NEAR(result.model.parameters()[1], -1.0, 0.02);
  EXPECT_NEAR(result.model.parameters()[2], 0.5, 0.02);
}

TEST(Train, tail_algorithms_have_a_lower_cvar_than_the_mean) {
  const Dataset data = line(1000, 0.1);
  const Loss loss(LossKind::squared);
  TrainOptions options;
  options.algorithm = Algorithm::mean;
  const double mean = training_cvar(train(data, nullptr, loss, options), data, loss, 0.1);
  // The best is near 2.25: the intercept half way between the line and the outliers, 1.5^2.
  for (const auto algorithm : {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft}) {
    options.algorithm = algorithm;
    const double own = training_cvar(train(data, nullptr, loss, options), data, loss, 0.1);
    EXPECT_LT(own, 0.6 * mean);
    EXPECT_GT(own, 2.0);
  }
}

TEST(Train, same_seed_same_model_other_seed_another) {
  const Dataset data = line(300, 0.1);
  const Loss loss(LossKind::huber);
  for (const auto algorithm :
       {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft, Algorithm::mean}) {
    TrainOptions options;
    options.algorithm = algorithm;
    options.epochs = 5;
    const auto first = train(data, nullptr, loss, options).model;
    const auto again = train(data, nullptr, loss, options).model;
    options.seed = 1;
    const auto other = train(data, nullptr, loss, options).model;
    EXPECT_TRUE(std::ranges::equal(first.parameters(), again.parameters()));
    EXPECT_FALSE(std::ranges::equal(first.parameters(), other.parameters()));
  }
}

TEST(Train, sparse_and_dense_data_give_nearly_the_same_model) {
  const Dataset dense = line(200, 0.1);
  const Dataset sparse = sparse_copy(dense);
  const Loss loss(LossKind::squared);
  const auto one = train(dense, nullptr, loss, {.algorithm = Algorithm::mean}).model;
  const auto two = train(sparse, nullptr, loss, {.algorithm = Algorithm::mean}).model;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(one.parameters()[i], two.parameters()[i], 1e-9);
}

TEST(Train, classifiers_of_every_loss_separate_clusters) {
  for (const auto kind : {LossKind::logistic, LossKind::hinge, LossKind::softmax}) {
    const Dataset data = classes(600, kind == LossKind::softmax ? 4 : 2);
    const Loss loss(kind);
    TrainOptions options;
    options.alpha = 0.5;
    const auto result = train(data, nullptr, loss, options);
    const double start =
        kind == LossKind::hinge ? 1.0 : std::log(kind == LossKind::softmax ? 4.0 : 2.0);
    EXPECT_LT(training_cvar(result, data, loss, 0.5), 0.7 * start);
  }
}

TEST(Train, a_diverging_run_keeps_a_finite_model_and_says_so) {
  const Dataset data = line(300, 0.1);
  const Loss loss(LossKind::squared);
  TrainOptions options;
  options.optimizer.kind = OptimizerKind::adam;
  options.learning_rate = 1e200;
  const auto result = train(data, nullptr, loss, options);
  EXPECT_EQ(result.stop_reason, StopReason::diverged);
  EXPECT_TRUE(result.model.is_finite());
  EXPECT_TRUE(std::isfinite(training_cvar(result, data, loss, 0.1)));
}

TEST(Train, too_large_a_rate_does_not_make_sgd_overflow) {
  Dataset data = line(300, 0.1);
  for (std::size_t f = 0; f < 20; ++f) data.dense[f] *= 1000;  // a few heavy rows
  const Loss loss(LossKind::squared);
  for (const auto algorithm :
       {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft, Algorithm::mean}) {
    TrainOptions options;
    options.algorithm = algorithm;
    options.alpha = 0.02;
    options.learning_rate = 50;
    const auto result = train(data, nullptr, loss, options);
    // Nothing overflows; if the result is useless, the run reports divergence.
    EXPECT_EQ(result.epochs, 50U);
    EXPECT_LE(training_cvar(result, data, loss, 1.0),
              10 * cvar(losses_of(LinearModel(data.features, 1), data, loss), options.alpha));
  }
}

TEST(Train, ridge_and_ball_shrink_the_weights_not_the_intercept) {
  Dataset data = line(400);
  for (double& target : data.targets) target += 5;
  const Loss loss(LossKind::squared);
  TrainOptions options;
  options.algorithm = Algorithm::mean;
  options.ridge = 100;
  options.learning_rate = 0.001;
  options.epochs = 200;
  const auto ridge = train(data, nullptr, loss, options).model;
  EXPECT_LT(std::abs(ridge.parameters()[0]), 0.1);
  EXPECT_NEAR(ridge.parameters()[2], 5.5, 0.2);
  options.ridge = 0;
  options.learning_rate = 0.01;
  options.radius = 0.5;
  options.iterate = Iterate::last;
  const auto ball = train(data, nullptr, loss, options).model;
  EXPECT_NEAR(std::hypot(ball.parameters()[0], ball.parameters()[1]), 0.5, 1e-9);
  EXPECT_NEAR(ball.parameters()[2], 5.5, 0.2);
}

// Far from its target an absolute loss has derivative 1, so that without momentum the intercept is
// the sum of all rates, whichever rows are drawn.
double sum_of_rates(std::size_t rows, TrainOptions options) {
  Dataset data;
  data.rows = rows;
  data.features = 1;
  data.dense.assign(rows, 0.0F);
  data.targets.assign(rows, 1e6);
  options.learning_rate = 1;
  options.optimizer.momentum = 0;
  options.iterate = Iterate::last;
  return train(data, nullptr, Loss(LossKind::absolute), options).model.intercept(0);
}

TEST(Train, learning_rate_follows_its_schedule) {
  TrainOptions options{.epochs = 5, .batch = 1, .decay = 0.1};
  EXPECT_NEAR(sum_of_rates(1, options), 1 + 1 + 0.1 + 0.1 + 0.01, 1e-9);  // after 2 and 4 epochs
  options.decay_every = 3;
  EXPECT_NEAR(sum_of_rates(1, options), 1 + 1 + 1 + 0.1 + 0.1, 1e-9);
  options.decay_every = 1;
  EXPECT_NEAR(sum_of_rates(1, options), 1.1111, 1e-9);
  options.rate_schedule = RateSchedule::inverse_sqrt;
  options.epochs = 4;
  EXPECT_NEAR(sum_of_rates(1, options), 1 + 1 / std::sqrt(2.0) + 1 / std::sqrt(3.0) + 0.5, 1e-9);
  options.rate_schedule = RateSchedule::constant;
  EXPECT_NEAR(sum_of_rates(1, options), 4, 1e-9);
  options.rate_schedule = RateSchedule::cosine;  // at 0, 1/4, 1/2 and 3/4 of half a wave
  EXPECT_NEAR(sum_of_rates(1, options),
              1 + (1 + std::sqrt(0.5)) / 2 + 0.5 + (1 - std::sqrt(0.5)) / 2, 1e-9);
}

TEST(Train, automatic_batch_grows_with_the_rows) {
  TrainOptions options{.epochs = 1, .rate_schedule = RateSchedule::constant};
  EXPECT_NEAR(sum_of_rates(100, options), 13, 1e-9);     // batches of 8
  EXPECT_NEAR(sum_of_rates(1000, options), 67, 1e-9);    // batches of 1000 / 64 = 15
  EXPECT_NEAR(sum_of_rates(10000, options), 157, 1e-9);  // batches of 64
  options.batch = 10;
  EXPECT_NEAR(sum_of_rates(1000, options), 100, 1e-9);
}

TEST(Train, resolved_defaults_keep_what_was_given) {
  const Dataset data = line(1000);
  const Loss squared(LossKind::squared);
  EXPECT_EQ(resolve_defaults({}, data, squared).batch, 15U);
  EXPECT_EQ(resolve_defaults({.algorithm = Algorithm::trunc}, data, squared).batch, 15U);
  EXPECT_EQ(resolve_defaults({}, data, squared).sampler.eta_scale, 3);
  for (const auto kind : {LossKind::logistic, LossKind::softmax, LossKind::hinge}) {
    EXPECT_EQ(resolve_defaults({}, data, Loss(kind)).sampler.eta_scale, 20);
  }
  EXPECT_EQ(resolve_defaults({}, data, squared).memory, 1.0);
  EXPECT_EQ(resolve_network_defaults({}, data, nullptr, squared).memory, 0.5);
  const TrainOptions given{.memory = 0.25, .batch = 7, .sampler = {.eta_scale = 0.5}};
  EXPECT_EQ(resolve_defaults(given, data, squared).batch, 7U);
  EXPECT_EQ(resolve_defaults(given, data, squared).sampler.eta_scale, 0.5);
  EXPECT_EQ(resolve_defaults(given, data, squared).memory, 0.25);
  EXPECT_EQ(resolve_network_defaults(given, data, nullptr, squared).memory, 0.25);
}

TEST(Train, networks_have_defaults_of_their_own) {
  const Dataset data = line(1000);
  const Loss squared(LossKind::squared);
  const TrainOptions chosen = resolve_network_defaults({}, data, &data, squared);
  EXPECT_EQ(chosen.rate_schedule, RateSchedule::cosine);
  EXPECT_EQ(chosen.iterate, Iterate::best);
  EXPECT_EQ(chosen.epochs, 500U);  // 640,000 draws would be 640
  EXPECT_EQ(resolve_network_defaults({}, line(4000), nullptr, squared).epochs, 160U);
  EXPECT_EQ(resolve_network_defaults({}, line(40'000), nullptr, squared).epochs, 50U);
  EXPECT_EQ(resolve_network_defaults({}, data, nullptr, squared).iterate, Iterate::last);
  EXPECT_EQ(resolve_defaults({}, data, squared).rate_schedule, RateSchedule::steps);
}

// The sampler seen after epoch t has learned since the discount after epoch t - 1: with memory 0
// only the last epoch counts. The horizon of its step has the draws that are remembered.
TEST(Train, memory_is_a_factor_on_the_log_weights_after_every_epoch) {
  const Dataset data = line(64, 0.1);
  const Loss squared(LossKind::squared);
  const auto spreads = [&](double memory) {
    TrainOptions options{.memory = memory, .epochs = 8, .batch = 8};
    options.learning_rate = 1e-9;  // losses stay as they are
    options.sampler.eta = 0.05;
    std::vector<double> result;
    TrainHooks hooks;
    hooks.watch = [&](const EpochView& view) {
      double least = 0;
      double most = 0;
      for (Index i = 0; i < 64; ++i) {
        least = std::min(least, view.sampler->log_weight(i));
        most = std::max(most, view.sampler->log_weight(i));
      }
      result.push_back(most - least);
      return true;
    };
    (void)train(data, nullptr, squared, options, hooks);
    return result;
  };
  const auto never = spreads(1);
  const auto half = spreads(0.5);
  const auto anew = spreads(0);
  ASSERT_EQ(anew.size(), 8U);
  EXPECT_EQ(half[0], never[0]);
  EXPECT_EQ(anew[0], never[0]);
  EXPECT_LT(anew[7], half[7]);
  EXPECT_LT(half[7], never[7]);
  EXPECT_LT(anew[7], 3 * anew[0]);
}

TEST(Train, the_sampler_steps_by_the_draws_that_it_remembers) {
  const Dataset data = line(64, 0.1);
  const Loss squared(LossKind::squared);
  const auto eta_of = [&](double memory) {
    double eta = 0;
    TrainHooks hooks;
    hooks.watch = [&](const EpochView& view) {
      eta = view.sampler->eta();
      return true;
    };
    TrainOptions options{.memory = memory, .epochs = 3, .batch = 8};
    options.sampler.eta_scale = 1;
    (void)train(data, nullptr, squared, options, hooks);
    return eta;
  };
  const double epoch = std::log(64.0) / (64.0 * 64.0);
  EXPECT_NEAR(eta_of(1), std::sqrt(epoch / 3), 1e-12);
  EXPECT_NEAR(eta_of(0.5), std::sqrt(epoch / 1.75), 1e-12);
  EXPECT_NEAR(eta_of(0), std::sqrt(epoch), 1e-12);
}

TEST(Train, be_the_leader_has_no_memory) {
  const TrainOptions options{.memory = 0.5, .learner = Learner::btl};
  support::expect_words<OptionError>(
      [&] { (void)train(line(64), nullptr, Loss(LossKind::squared), options); }, "memory ... btl");
}

TEST(Train, patience_and_best_use_the_validation_rows) {
  const Dataset data = line(300, 0.1);
  const Dataset held_out = line(300, 0.1, 9);
  const Loss loss(LossKind::squared);
  TrainOptions options;
  options.iterate = Iterate::best;
  options.patience = 3;
  options.epochs = 500;
  options.learning_rate = 0.05;
  options.decay = 1;
  const auto result = train(data, &held_out, loss, options);
  EXPECT_EQ(result.stop_reason, StopReason::patience);
  EXPECT_LT(result.epochs, 500U);
  ASSERT_EQ(result.history.size(), result.epochs);
  double least = 1e300;
  for (const EpochRecord& record : result.history) least = std::min(least, record.validation->cvar);
  EXPECT_EQ(training_cvar(result, held_out, loss, options.alpha), least);
}

TEST(Train, every_iterate_is_one_of_the_run) {
  const Dataset data = line(200, 0.1);
  const Loss loss(LossKind::squared);
  for (const auto iterate : {Iterate::last, Iterate::average, Iterate::random}) {
    TrainOptions options;
    options.iterate = iterate;
    options.algorithm = Algorithm::mean;
    const auto model = train(data, nullptr, loss, options).model;
    EXPECT_TRUE(model.is_finite());
    EXPECT_LT(cvar(losses_of(model, data, loss), 1), 1.5);
  }
}

TEST(Train, progress_within_epochs_grows) {
  const Dataset data = line(1000);
  std::vector<double> seen;
  const TrainHooks hooks{.within_epoch = [&](double epochs) { seen.push_back(epochs); }};
  (void)train(data, nullptr, Loss(LossKind::squared), {.epochs = 3, .batch = 1}, hooks);
  EXPECT_EQ(seen.size(), 47U);  // 3000 steps, every 64th
  EXPECT_EQ(seen.front(), 0);
  EXPECT_DOUBLE_EQ(seen[1], 0.064);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_LT(seen.back(), 3);
  EXPECT_GT(seen.back(), 2.9);
}

TEST(Train, progress_can_stop_it) {
  const Dataset data = line(100);
  std::uint64_t seen = 0;
  const auto result =
      train(data, nullptr, Loss(LossKind::squared), {}, {.progress = [&](const EpochRecord& r) {
              seen = r.epoch;
              return r.epoch < 4;
            }});
  EXPECT_EQ(seen, 4U);
  EXPECT_EQ(result.stop_reason, StopReason::interrupted);
}

TEST(Train, a_flag_can_stop_it_with_the_best_model_so_far) {
  const Dataset data = line(100);
  std::atomic<bool> stop = false;
  std::vector<EpochRecord> seen;
  const TrainHooks hooks{.progress =
                             [&](const EpochRecord& r) {
                               seen.push_back(r);
                               stop = r.epoch == 5;
                               return true;
                             },
                         .stop = &stop};
  const Loss squared(LossKind::squared);
  const auto result = train(data, &data, squared, {.batch = 1}, hooks);
  EXPECT_EQ(result.stop_reason, StopReason::interrupted);
  EXPECT_LT(result.epochs, 10U);  // the flag is checked every 64 steps
  double best = seen[0].validation->cvar;
  for (const EpochRecord& record : seen) best = std::min(best, record.validation->cvar);
  EXPECT_DOUBLE_EQ(cvar(losses_of(result.model, data, squared), 0.1), best);
}

TEST(Train, bad_input_is_refused) {
  const Dataset data = line(10);
  const Loss squared(LossKind::squared);
  const auto run = [&](const Dataset& d, const Loss& loss, const TrainOptions& options) {
    return [&d, loss, options] { (void)train(d, nullptr, loss, options); };
  };
  expect_words<OptionError>(run(data, squared, {.alpha = 0}), "alpha = 0 is outside (0, 1]");
  expect_words<OptionError>(run(data, squared, {.learning_rate = 0}),
                            "learning-rate = 0 is outside (0, inf)");
  expect_words<OptionError>(
      run(data, Loss(LossKind::hinge), {}),
      "the loss does not fit the task: squared, absolute, huber and pinball are for regression, "
      "logistic and hinge for two classes, softmax for classes");
  expect_words<OptionError>(run(data, squared, {.patience = 2}),
                            "iterate = best and patience need validation data");
  const Dataset empty;
  expect_words<DataError>(run(empty, squared, {}), "the training data is empty");
}

}  // namespace
}  // namespace adacvar
