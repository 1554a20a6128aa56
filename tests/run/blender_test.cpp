#include <adacvar/run/run.hpp>

#include "run/trained_model.hpp"

#include "support/expect_words.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace adacvar {
namespace {

using support::expect_words;
using support::TemporaryFolder;

/// A network with one weight: its scores are the weight times the first feature.
class OneWeight final : public Network {
 public:
  explicit OneWeight(double weight) : weight_(weight) {}

  [[nodiscard]] double weight() const { return weight_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
  void scores(const Dataset& data, std::span<const Index> rows,
              std::span<double> scores) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scores[i] = weight_ * static_cast<double>(data.dense[rows[i] * data.features]);
    }
  }
  [[nodiscard]] std::string weights() const override { return std::to_string(weight_); }
  [[nodiscard]] std::uint64_t parameter_count() const override { return 1; }
  [[nodiscard]] double norm() const override { return std::abs(weight_); }
  [[nodiscard]] std::shared_ptr<const Network> interpolated(const Network& other,
                                                            double share) const override {
    const double end = dynamic_cast<const OneWeight&>(other).weight_;
    return std::make_shared<OneWeight>(std::lerp(weight_, end, share));
  }

 private:
  double weight_;
};

/// "Trains" to the weight 1 for the mean and to `tail_weight` for the tail, and remembers the
/// calls.
class FakeMaker final : public NetworkMaker {
 public:
  struct Call {
    TrainOptions options;
    std::optional<double> start;
    std::string checkpoint;
  };

  void check(const NetworkOptions&) const override {}
  [[nodiscard]] NetworkResult train(const Dataset&, const Dataset*, const Loss&,
                                    const TrainOptions& options, const NetworkOptions&,
                                    const TrainHooks& hooks, const Network* start) const override {
    const auto* from = dynamic_cast<const OneWeight*>(start);
    calls.push_back({options, from ? std::optional(from->weight()) : std::nullopt,
                     hooks.checkpoint.filename().string()});
    const bool is_mean = options.algorithm == Algorithm::mean;
    NetworkResult result{.model = std::make_shared<OneWeight>(is_mean ? 1.0 : tail_weight),
                         .epochs = options.epochs,
                         .history = {}};
    if (!is_mean) result.stop_reason = tail_ends_with;
    for (std::uint64_t epoch = 1; epoch <= options.epochs; ++epoch) {
      result.history.push_back({.epoch = epoch, .training_loss = 1});
      if (hooks.progress) hooks.progress(result.history.back());
    }
    return result;
  }
  [[nodiscard]] std::shared_ptr<const Network> load(const NetworkOptions&, const NetworkShape&,
                                                    const std::string& weights) const override {
    return std::make_shared<OneWeight>(std::stod(weights));
  }

  double tail_weight = 1.5;
  StopReason tail_ends_with = StopReason::epochs;
  mutable std::vector<Call> calls;
};

// Rows of which a tenth lie twice as steep: plain training has the slope 1, the tail wants more.
std::string steep_csv(int rows) {
  Rng rng(3);
  std::string text = "x,y\n";
  for (int i = 0; i < rows; ++i) {
    const double x = 2 * rng.uniform() - 1;
    text += std::to_string(x) + "," + std::to_string(i % 10 == 0 ? 2 * x : x) + "\n";
  }
  return text;
}

class BlendedRun : public testing::Test {
 protected:
  RunOptions options(Algorithm algorithm = Algorithm::adacvar, int rows = 1000) const {
    RunOptions options;
    options.data.data = folder_.write("table.csv", steep_csv(rows)).string();
    options.data.target = "y";
    options.network.network = "fake";
    options.train.algorithm = algorithm;
    options.train.epochs = 10;
    options.train.seed = 5;
    return options;
  }

  RunReport run_with(const RunOptions& options) const {
    return run(options, {.networks = &maker_});
  }

  TemporaryFolder folder_;
  FakeMaker maker_;
};

double weight_of(const RunResult& result, std::size_t member = 0) {
  const auto& members = result.model.parts().networks()->members();
  return dynamic_cast<const OneWeight&>(*members.at(member).network).weight();
}

TEST_F(BlendedRun, fine_tunes_plain_training_and_interpolates_its_weights) {
  RunOptions options = this->options();
  options.budget.mean_budget = 0.5;
  std::vector<std::uint64_t> epochs;
  const RunReport report = run(options, {.progress =
                                             [&](const RunProgress& progress) {
                                               if (progress.epoch == nullptr) return;
                                               epochs.push_back(progress.epoch->epoch);
                                               EXPECT_EQ(progress.epochs, 12U);
                                             },
                                         .networks = &maker_});
  ASSERT_EQ(maker_.calls.size(), 2U);
  EXPECT_EQ(maker_.calls[0].options.algorithm, Algorithm::mean);
  EXPECT_EQ(maker_.calls[0].start, std::nullopt);
  const FakeMaker::Call& tail = maker_.calls[1];
  EXPECT_EQ(tail.options.algorithm, Algorithm::adacvar);
  EXPECT_EQ(tail.start, 1.0);
  EXPECT_EQ(tail.options.epochs, 2U);  // a fifth of 10
  EXPECT_EQ(tail.options.gamma, 0.5);
  EXPECT_LT(*tail.options.learning_rate, *maker_.calls[0].options.learning_rate);
  EXPECT_EQ(tail.options.seed, 5U);

  ASSERT_EQ(report.results.size(), 1U);  // plain training is not shown
  const RunResult& result = report.results[0];
  ASSERT_TRUE(result.blend);
  EXPECT_GT(result.blend->share, 0);
  EXPECT_FALSE(result.blend->is_mix);
  EXPECT_DOUBLE_EQ(weight_of(result), 1 + 0.5 * result.blend->share);
  EXPECT_EQ(result.epochs, 12U);
  EXPECT_EQ(epochs.size(), 12U);
  EXPECT_EQ(epochs.back(), 12U);
  EXPECT_EQ(result.history.back().epoch, 12U);
  EXPECT_EQ(result.label(), "adacvar +50%");
  EXPECT_TRUE(result.budget->on_validation);
  EXPECT_LE(result.budget->attained, result.budget->limit.most);
  EXPECT_LT(result.valid->risk.cvar, result.blend->plain.cvar);
  EXPECT_DOUBLE_EQ(result.valid->risk.cvar, result.blend->blended.cvar);
}

TEST_F(BlendedRun, a_budget_of_nothing_keeps_plain_training) {
  RunOptions options = this->options();
  options.budget.mean_budget = 0.0;
  maker_.tail_weight = 0.5;  // worse in every way
  const RunReport report = run_with(options);
  EXPECT_EQ(report.results[0].blend->share, 0);
  EXPECT_EQ(weight_of(report.results[0]), 1);
}

TEST_F(BlendedRun, a_tail_that_diverges_leaves_plain_training) {
  maker_.tail_ends_with = StopReason::diverged;
  const RunReport report = run_with(options());
  EXPECT_EQ(report.results[0].blend->share, 0);
  EXPECT_TRUE(report.results[0].is_trained());
}

TEST_F(BlendedRun, comparisons_train_plain_once_and_share_it) {
  const RunReport report = compare(options(), {.networks = &maker_});
  std::vector<std::string> labels;
  for (const RunResult& result : report.results) labels.push_back(result.label());
  EXPECT_EQ(labels, (std::vector<std::string>{"adacvar +2%", "trunc +2%", "soft +2%", "mean"}));
  EXPECT_EQ(maker_.calls.size(), 4U);
  EXPECT_EQ(std::ranges::count_if(maker_.calls,
                                  [](const FakeMaker::Call& call) { return call.start == 1.0; }),
            3);
  EXPECT_FALSE(report.results[3].blend);
}

TEST_F(BlendedRun, a_mixture_has_two_networks_of_two_seeds_and_is_saved) {
  RunOptions options = this->options();
  options.blend.mix = true;
  options.budget.mean_budget = 5;
  maker_.tail_weight = 2;
  const RunReport report = run_with(options);
  ASSERT_EQ(maker_.calls.size(), 2U);
  EXPECT_EQ(maker_.calls[1].start, std::nullopt);
  EXPECT_EQ(maker_.calls[1].options.epochs, 10U);
  EXPECT_NE(maker_.calls[1].options.seed, maker_.calls[0].options.seed);
  const RunResult& result = report.results[0];
  ASSERT_TRUE(result.blend && result.blend->is_mix);
  ASSERT_GT(result.blend->share, 0);
  ASSERT_LT(result.blend->share, 1);
  EXPECT_EQ(weight_of(result, 0), 1);
  EXPECT_EQ(weight_of(result, 1), 2);
  EXPECT_EQ(result.model.parts().options.seed, 5U);  // of the split

  const auto path = folder_.path() / "mixed.json";
  result.model.save(path);
  const Model loaded = Model::load(path, &maker_);
  const auto& members = result.model.parts().networks()->members();
  const auto& again = loaded.parts().networks()->members();
  ASSERT_EQ(again.size(), 2U);
  for (std::size_t m = 0; m < 2; ++m) EXPECT_EQ(again[m].factor, members[m].factor);
  std::filesystem::remove(folder_.path() / "mixed.json.tail.pt");
  expect_words<DataError>([&] { (void)Model::load(path, &maker_); }, "mixed.json.tail.pt");
}

TEST_F(BlendedRun, the_two_parts_have_checkpoints_of_their_own) {
  RunOptions options = this->options();
  options.checkpoint.checkpoint = (folder_.path() / "state").string();
  (void)run_with(options);
  EXPECT_EQ(maker_.calls[0].checkpoint, "state");
  EXPECT_EQ(maker_.calls[1].checkpoint, "state.tail");
}

TEST_F(BlendedRun, fine_tune_0_trains_for_the_tail_from_the_start) {
  RunOptions options = this->options();
  options.blend.fine_tune = 0;
  const RunReport report = run_with(options);
  ASSERT_EQ(maker_.calls.size(), 1U);
  EXPECT_EQ(maker_.calls[0].options.gamma, 0);
  EXPECT_FALSE(report.results[0].blend);
}

TEST_F(BlendedRun, needs_validation_rows) {
  RunOptions options = this->options(Algorithm::adacvar, 300);
  EXPECT_FALSE(run_with(options).results[0].blend);  // automatic: too few rows to choose
  options.blend.fine_tune = 0.2;
  expect_words<OptionError>([&] { (void)run_with(options); }, "fine-tune ... validation ... split");
  options.blend = {.mix = true};
  expect_words<OptionError>([&] { (void)run_with(options); }, "mix ... validation");
}

TEST_F(BlendedRun, options_without_effect_are_refused) {
  RunOptions options = this->options(Algorithm::mean);
  options.blend.mix = true;
  expect_words<OptionError>([&] { (void)run_with(options); }, "mix");
  options = this->options();
  options.blend = {.fine_tune = 0.5, .mix = true};
  expect_words<OptionError>([&] { (void)run_with(options); }, "fine-tune ... mix");
  options.blend = {.fine_tune = 0.5};
  options.network.network.clear();
  expect_words<OptionError>([&] { (void)run_with(options); }, "fine-tune ... network");
}

TEST_F(BlendedRun, a_memorised_tail_is_named) {
  RunOptions options = this->options();
  options.blend.fine_tune = 0;
  const std::string test = folder_.write("valid.csv", steep_csv(1000)).string();
  // Training rows that the tail's weight fits, validation rows that it does not.
  std::string text = "x,y\n";
  for (int i = 0; i < 500; ++i) {
    const double x = (i % 7 - 3) / 3.0;
    text += std::to_string(x) + "," + std::to_string(x * (1 + 0.05 * (i % 3))) + "\n";
  }
  options.data.data = folder_.write("train.csv", text).string();
  options.data.valid_data = test;
  maker_.tail_weight = 1;
  const RunReport report = run_with(options);
  EXPECT_TRUE(std::ranges::any_of(
      report.headlines,
      [](const std::string& note) { return note.find("memorised") != std::string::npos; }))
      << report.results[0].train->risk.cvar << " " << report.results[0].valid->risk.cvar;
}

}  // namespace
}  // namespace adacvar
