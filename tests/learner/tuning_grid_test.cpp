#include "learner/tuning_grid.hpp"

#include "base/options_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <set>
#include <string>

namespace adacvar {
namespace {

using nlohmann::json;

json flat(const TrainOptions& options) {
  json result;
  options_to_json(options.sampler, result);
  options_to_json(options.optimizer, result);
  options_to_json(options, result);
  return result;
}

// Returns the names of the options in which a trial differs from the given ones.
std::set<std::string> changes(const TrainOptions& trial, const TrainOptions& given) {
  std::set<std::string> names;
  const json options = flat(trial);
  const json other = flat(given);
  for (const auto& [name, value] : options.items()) {
    if (value != other[name]) names.insert(name);
  }
  return names;
}

std::set<std::string> all_changes(const TrainOptions& given) {
  std::set<std::string> names;
  for (const TrainOptions& trial : tuning_grid(given)) names.merge(changes(trial, given));
  return names;
}

TrainOptions of(Algorithm algorithm) {
  TrainOptions options;
  options.algorithm = algorithm;
  options.sampler.eta_scale = 3.0;  // as resolve_defaults would
  options.learning_rate = 0.015;
  return options;
}

constexpr Algorithm kAll[] = {Algorithm::adacvar, Algorithm::trunc, Algorithm::soft,
                              Algorithm::mean};

TEST(TuningGrid, every_algorithm_has_as_many_settings_and_the_first_is_the_one_given) {
  for (const Algorithm algorithm : kAll) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
      TrainOptions given = of(algorithm);
      given.optimizer.kind = kind;
      const auto grid = tuning_grid(given);
      ASSERT_EQ(grid.size(), 30U);
      EXPECT_EQ(flat(grid[0]), flat(given));
      std::set<std::string> distinct;
      for (const TrainOptions& trial : grid) {
        distinct.insert(flat(trial).dump());
        EXPECT_NO_THROW(check_options(trial));
      }
      EXPECT_EQ(distinct.size(), 30U) << kAlgorithmNames.of(algorithm);
    }
  }
}

TEST(TuningGrid, only_the_documented_options_change) {
  using Set = std::set<std::string>;
  EXPECT_EQ(all_changes(of(Algorithm::adacvar)),
            (Set{"optimizer", "learning-rate", "eta-scale", "gamma"}));
  EXPECT_EQ(all_changes(of(Algorithm::trunc)), (Set{"optimizer", "learning-rate", "gamma"}));
  EXPECT_EQ(all_changes(of(Algorithm::soft)),
            (Set{"optimizer", "learning-rate", "temperature", "gamma"}));
  EXPECT_EQ(all_changes(of(Algorithm::mean)), (Set{"optimizer", "learning-rate"}));
  TrainOptions given = of(Algorithm::adacvar);
  given.sampler.eta = 0.5;  // then the scale of the automatic eta does not matter
  EXPECT_EQ(all_changes(given), (Set{"optimizer", "learning-rate", "eta", "gamma"}));
}

// Returns the ratios of the trials' values to the given one, over the grid.
template <class Value>
std::multiset<double> factors(const TrainOptions& given, const Value& value) {
  std::multiset<double> result;
  for (const TrainOptions& trial : tuning_grid(given)) {
    result.insert(std::round(1e6 * value(trial) / value(given)) / 1e6);
  }
  return result;
}

TEST(TuningGrid, a_given_gamma_is_kept) {
  for (const Algorithm algorithm : kAll) {
    TrainOptions given = of(algorithm);
    given.gamma = 0.2;
    const auto grid = tuning_grid(given);
    EXPECT_EQ(grid.size(), 18U);
    for (const TrainOptions& trial : grid) EXPECT_EQ(trial.gamma, 0.2);
  }
}

// With a gamma, which leaves out the runs with others.
TrainOptions with_gamma(Algorithm algorithm) {
  TrainOptions options = of(algorithm);
  options.gamma = 0.2;
  return options;
}

TEST(TuningGrid, steps_are_the_documented_factors) {
  const auto six_of = [](double a, double b, double c) {
    std::multiset<double> expected;
    for (int i = 0; i < 6; ++i) expected.insert({a, b, c});
    return expected;
  };
  const auto rate = [](const TrainOptions& o) { return *o.learning_rate; };
  for (const Algorithm algorithm : {Algorithm::adacvar, Algorithm::soft}) {
    EXPECT_EQ(factors(with_gamma(algorithm), rate), six_of(0.1, 1, 10));
  }
  EXPECT_EQ(
      factors(with_gamma(Algorithm::adacvar), [](const auto& o) { return *o.sampler.eta_scale; }),
      six_of(0.333333, 1, 3));
  EXPECT_EQ(factors(with_gamma(Algorithm::soft), [](const auto& o) { return o.temperature; }),
            six_of(0.1, 1, 10));
  // Nine rates for each of two optimizers.
  std::multiset<double> twice;
  for (const double r : {0.033333, 0.1, 0.3, 0.333333, 1.0, 3.0, 3.333333, 10.0, 30.0}) {
    twice.insert({r, r});
  }
  EXPECT_EQ(factors(with_gamma(Algorithm::mean), rate), twice);
  EXPECT_EQ(factors(with_gamma(Algorithm::trunc), rate), twice);
}

}  // namespace
}  // namespace adacvar
