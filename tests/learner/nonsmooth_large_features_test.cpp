#include <adacvar/base/rng.hpp>
#include <adacvar/learner/train.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace adacvar {
namespace {

// The second derivative of absolute, pinball and hinge losses is 0 where it exists, so it gives no
// limit on steps. Without one a step moves a row's score by rate * |x|^2: with features of size s
// far beyond the range of the targets as soon as rate * s^2 >> 1.

struct Case {
  Dataset data;
  Loss loss{LossKind::absolute};
  TrainOptions options;
  double size = 1;
};

double log_uniform(Rng& rng, double low, double high) {
  return low * std::pow(high / low, rng.uniform());
}

double normal(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng.uniform();
  return sum;
}

// Columns of raw sizes, some far from 0, targets of size 1 (regression) or two classes.
Dataset raw_data(Rng& rng, bool classes, double size) {
  Dataset data;
  data.rows = 40 + rng.below(200);
  data.features = 1 + rng.below(5);
  data.task = classes ? Task::binary : Task::regression;
  if (classes) data.class_names = {"0", "1"};
  std::vector<double> unit(data.features);
  std::vector<double> centre(data.features);
  std::vector<double> weight(data.features);
  for (std::size_t f = 0; f < data.features; ++f) {
    unit[f] = f == 0 ? size : log_uniform(rng, 1, size);
    centre[f] = rng.below(2) == 0 ? 0.0 : 3 * unit[f] * normal(rng);
    weight[f] = normal(rng) / unit[f];
  }
  const double noise = log_uniform(rng, 0.1, 2);
  for (std::size_t i = 0; i < data.rows; ++i) {
    double score = noise * normal(rng);
    for (std::size_t f = 0; f < data.features; ++f) {
      const double x = normal(rng);
      data.dense.push_back(static_cast<float>(centre[f] + unit[f] * x));
      score += weight[f] * unit[f] * x;
    }
    data.targets.push_back(classes ? (score > 0 ? 1.0 : 0.0) : score);
  }
  return data;
}

Case make_case(Rng& rng, double low, double high) {
  constexpr Algorithm kAlgorithms[]{Algorithm::adacvar, Algorithm::trunc, Algorithm::soft,
                                    Algorithm::mean};
  constexpr LossKind kKinds[]{LossKind::hinge, LossKind::absolute, LossKind::pinball};
  Case one;
  const LossKind kind = kKinds[rng.below(3)];
  one.loss = Loss(kind, 1.0, 0.05 + 0.9 * rng.uniform());
  one.size = log_uniform(rng, low, high);
  one.data = raw_data(rng, kind == LossKind::hinge, one.size);
  one.options.algorithm = kAlgorithms[rng.below(4)];
  one.options.alpha = log_uniform(rng, 0.01, 1);
  one.options.epochs = 20;
  one.options.seed = rng.below(1000);
  return one;
}

struct Count {
  int diverged = 0;
  int worse = 0;  // than 2.5 times the model 0 where it began
};

// Objective of the algorithm.
double objective(const Case& one, const LinearModel& model) {
  const bool is_mean = one.options.algorithm == Algorithm::mean;
  return cvar(losses_of(model, one.data, one.loss), is_mean ? 1.0 : one.options.alpha);
}

// `runs` random problems with features of sizes in [low, high] and a fixed seed.
Count study(double low, double high, int runs) {
  Rng rng(15);
  Count found;
  for (int i = 0; i < runs; ++i) {
    const Case one = make_case(rng, low, high);
    const TrainResult result = train(one.data, nullptr, one.loss, one.options);
    const double start = objective(one, LinearModel(one.data.features, 1));
    found.diverged += result.stop_reason == StopReason::diverged ? 1 : 0;
    found.worse += objective(one, result.model) <= 2.5 * start ? 0 : 1;
  }
  return found;
}

TEST(NonsmoothLargeFeatures, no_run_diverges) {
  for (const auto& [low, high] : {std::pair(1.0, 1e2), std::pair(1e2, 1e4), std::pair(1e4, 1e6)}) {
    const Count found = study(low, high, 100);
    EXPECT_EQ(found.diverged, 0) << low;
    EXPECT_EQ(found.worse, 0) << low;
  }
}

}  // namespace
}  // namespace adacvar
