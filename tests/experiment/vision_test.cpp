#include "experiment/run_study.hpp"
#include "experiment/study.hpp"
#include "experiment/study_report.hpp"
#include "experiment/summary.hpp"

#include "support/expect_words.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace adacvar {
namespace {

using support::message_of;
using support::TemporaryFolder;

/// 40 images of 2 x 2 in two classes of 16 each, then 8 own test images.
RawData tiny_images() {
  Images images;
  images.shape = {1, 2, 2};
  images.source = "tiny";
  for (std::size_t i = 0; i < 40; ++i) {
    images.labels.push_back(static_cast<std::uint8_t>(i % 2));
    for (std::size_t p = 0; p < 4; ++p) {
      images.pixels.push_back(static_cast<std::uint8_t>((37 * i + 11 * p) % 251));
    }
  }
  images.class_names = {"a", "b"};
  return {std::move(images), "label", 8};
}

/// Scores by the first pixel and learns nothing; calls the hooks like a real network.
class FixedNetwork final : public Network {
 public:
  [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
  void scores(const Dataset& data, std::span<const Index> rows,
              std::span<double> scores) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scores[i] = static_cast<double>(data.dense[rows[i] * data.features]);
    }
  }
  [[nodiscard]] std::string weights() const override { return {}; }
  [[nodiscard]] std::uint64_t parameter_count() const override { return 1; }
  [[nodiscard]] double norm() const override { return 1; }
  [[nodiscard]] std::shared_ptr<const Network> interpolated(const Network& /*other*/,
                                                            double /*share*/) const override {
    return std::make_shared<FixedNetwork>();
  }
};

class FixedMaker final : public NetworkMaker {
 public:
  void check(const NetworkOptions& /*options*/) const override {}
  [[nodiscard]] NetworkResult train(const Dataset& /*training*/, const Dataset* /*validation*/,
                                    const Loss& /*loss*/, const TrainOptions& options,
                                    const NetworkOptions& /*network*/, const TrainHooks& hooks,
                                    const Network* /*start*/) const override {
    const auto network = std::make_shared<FixedNetwork>();
    if (hooks.gradient) {
      for (const double norm : {0.0, 1.0, 2.0, 3.0, 4.0}) hooks.gradient(norm);
    }
    for (std::uint64_t epoch = 1; epoch <= options.epochs; ++epoch) {
      const EpochRecord record{.epoch = epoch};
      (void)hooks.watch({record, *network, nullptr, nullptr, false, nullptr});
    }
    ++trained;
    NetworkResult result;
    result.model = network;
    result.epochs = options.epochs;
    return result;
  }
  [[nodiscard]] std::shared_ptr<const Network> load(const NetworkOptions& /*options*/,
                                                    const NetworkShape& /*shape*/,
                                                    const std::string& /*weights*/) const override {
    return std::make_shared<FixedNetwork>();
  }

  mutable int trained = 0;
};

TEST(Vision, studies_are_those_of_the_paper) {
  const auto mnist = make_vision_studies(Experiment::mnist, {.grid = GridSize::paper});
  ASSERT_EQ(mnist.size(), 1U);
  EXPECT_EQ(mnist[0].vision->network.network, "lenet5-paper");
  EXPECT_EQ(mnist[0].table, "vision");
  EXPECT_EQ(mnist[0].contestants.size(), 4U);
  EXPECT_EQ(mnist[0].contestants[0].configs.size(), 4U);
  EXPECT_EQ(mnist[0].contestants[0].configs[0].epochs, 50U);
  EXPECT_EQ(mnist[0].vision->rows, 0U);
  const auto power_laws = make_vision_studies(Experiment::powerlaw, {.grid = GridSize::paper});
  ASSERT_EQ(power_laws.size(), 2U);
  EXPECT_EQ(power_laws[0].name, "powerlaw-vgg16-bn");
  EXPECT_FALSE(power_laws[0].early_stopping);
  EXPECT_TRUE(mnist[0].early_stopping);
  EXPECT_EQ(power_laws[1].vision->network.network, "resnet18");
  EXPECT_EQ(power_laws[0].sets.size(), power_laws[0].vision->betas.size());
  const auto gradients = make_vision_studies(Experiment::gradients, {});
  EXPECT_EQ(gradients[0].contestants.size(), 6U);
  std::set<double> rates;
  for (const Contestant& contestant : gradients[0].contestants) {
    rates.insert(*contestant.configs[0].learning_rate);
  }
  EXPECT_EQ(rates.size(), 2U);
  EXPECT_PRED2(support::has_words, message_of<OptionError>([] {
                 (void)make_vision_studies(Experiment::mnist, {.rebalance = Rebalance::upsample});
               }),
               "upsample ... mnist");
}

TEST(Vision, sets_are_reduced_and_test_images_are_the_sets_own) {
  Study study = make_vision_studies(Experiment::powerlaw, {})[0];
  study.vision->betas = {1.0, 0.25};  // log 0.25 = -1.386: the second class keeps 2^-1.386 = 0.383
  study.vision->rows = 20;
  study.vision->evaluated_rows = 6;
  const RawData data = tiny_images();
  const PreparedData even = prepare_images(study, data, 0, 1);
  EXPECT_EQ(even.train.rows, 20U);
  EXPECT_EQ(even.valid.rows, 6U);
  EXPECT_EQ(even.test.rows, 6U);
  for (const Index row : even.rows.test) EXPECT_GE(row, 32U);
  for (const Index row : even.rows.train) EXPECT_LT(row, 32U);
  for (const Index row : even.rows.valid) {
    EXPECT_TRUE(std::ranges::count(even.rows.train, row) > 0);
  }
  const PreparedData steep = prepare_images(study, data, 1, 1);
  EXPECT_EQ(steep.train.rows, 14U);  // 10 + round(3.83)
  EXPECT_NE(prepare_images(study, data, 0, 2).rows.train, even.rows.train);
  EXPECT_EQ(prepare_images(study, data, 0, 2).rows.test, even.rows.test);
}

TEST(Vision, results_are_kept_and_not_run_again) {
  const auto maker = std::make_shared<FixedMaker>();
  Study study = make_vision_studies(Experiment::gradients, {.seeds = 2})[0];
  study.vision->rows = study.vision->evaluated_rows = 0;
  const std::vector<RawData> data{tiny_images()};
  const TemporaryFolder folder;
  for (int call = 0; call < 2; ++call) {
    ResultLog log(folder.path() / "results.jsonl", "tiny");
    ASSERT_TRUE(run_study(study, data, 1, log, {.networks = maker.get()}));
    EXPECT_EQ(maker->trained, 12);  // six contestants, two seeds
    const Summary summary = summarise(study, log);
    const Selected& ada = summary.of(0, 0);
    ASSERT_EQ(ada.gradients.size(), 2U);
    EXPECT_EQ(ada.gradients[0], (GradientNorms{2, 2, 3, 0.2F}));
    EXPECT_EQ(ada.goal_epochs, (std::vector<std::uint64_t>{0, 0}));  // half are right, never 85 %
    const auto tables = study_tables(summary, nullptr);
    EXPECT_EQ(tables[0].title, "Gradients and the time to learn");
    EXPECT_EQ(tables[0].rows.size(), 6U);
    EXPECT_EQ(tables[0].rows[0][2].text, "never");
    EXPECT_EQ(tables[0].rows[0][7].text, "20.0 %");
    EXPECT_EQ(study_figures(summary)[0].stem, "gradients");
  }
}

TEST(Vision, without_networks_it_is_said) {
  const Study study = make_vision_studies(Experiment::mnist, {.seeds = 1})[0];
  const std::vector<RawData> data{tiny_images()};
  const TemporaryFolder folder;
  ResultLog log(folder.path() / "results.jsonl", "tiny");
  EXPECT_NE(message_of<OptionError>([&] {
              (void)run_study(study, data, 1, log);
            }).find("networks are not part of this build"),
            std::string::npos);
}

}  // namespace
}  // namespace adacvar
