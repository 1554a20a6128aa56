#include "experiment/grid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace adacvar {
namespace {

constexpr std::array kAll = {Variant::gain, Variant::centred, Variant::trunc, Variant::soft,
                             Variant::mean};

TEST(ExperimentGrid, has_the_papers_sizes) {
  const std::array<std::size_t, 5> sizes = {1008, 1008, 28, 84, 28};
  for (std::size_t v = 0; v < kAll.size(); ++v) {
    EXPECT_EQ(experiment_grid(kAll[v], GridSize::paper, 0.01).size(), sizes[v]);
  }
}

TEST(ExperimentGrid, has_no_configuration_twice) {
  for (const GridSize size : {GridSize::small, GridSize::paper}) {
    for (const Variant variant : kAll) {
      std::set<std::string> texts;
      const auto grid = experiment_grid(variant, size, 0.01);
      for (const TrainOptions& options : grid) texts.insert(config_text(options));
      EXPECT_EQ(texts.size(), grid.size()) << kVariantNames.of(variant);
    }
  }
}

TEST(ExperimentGrid, every_configuration_may_be_trained) {
  for (const Variant variant : kAll) {
    for (const TrainOptions& options : experiment_grid(variant, GridSize::paper, 0.01)) {
      ASSERT_NO_THROW(check_options(options));
      ASSERT_NO_THROW(check_options(options.sampler));
      ASSERT_EQ(options.epochs, 50U);
      ASSERT_EQ(options.iterate, Iterate::last);
    }
  }
}

TEST(ExperimentGrid, the_variants_differ_in_estimator) {
  const auto gain = experiment_grid(Variant::gain, GridSize::paper, 0.01)[0];
  EXPECT_EQ(gain.sampler.estimator, Estimator::gain);
  EXPECT_EQ(gain.sampler.epsilon, 0.0);
  EXPECT_EQ(gain.sampler.eta_scale, 1.0);
  const auto centred = experiment_grid(Variant::centred, GridSize::paper, 0.01)[0];
  EXPECT_EQ(centred.sampler.estimator, Estimator::centred);
}

TEST(IsPlain, leaves_every_algorithm_the_same_number) {
  for (const Variant variant : kAll) {
    std::size_t plain = 0;
    for (const TrainOptions& options : experiment_grid(variant, GridSize::paper, 0.1)) {
      plain += is_plain(variant, options) ? 1 : 0;
    }
    EXPECT_EQ(plain, 28U) << kVariantNames.of(variant);
  }
}

TEST(ConfigText, says_what_the_algorithm_looks_at) {
  EXPECT_EQ(config_text(experiment_grid(Variant::mean, GridSize::paper, 0.1)[0]),
            "sgd 0.05, batch 64");
  EXPECT_EQ(config_text(TrainOptions{}), "sgd auto, batch auto, eta auto, gamma 0.01, constant");
  EXPECT_EQ(config_text(experiment_grid(Variant::soft, GridSize::paper, 0.1)[0]),
            "sgd 0.05, batch 64, T 0.01");
  EXPECT_EQ(config_text(experiment_grid(Variant::gain, GridSize::paper, 0.1).back()),
            "adam 1e-05, batch 128, eta auto, gamma 0.1, adagrad");
}

}  // namespace
}  // namespace adacvar
