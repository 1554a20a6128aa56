#include "run/stack.hpp"

#include "base/json_view.hpp"
#include "learner/predict.hpp"
#include "learner/tree_model.hpp"
#include "run/stack_json.hpp"
#include "run/stack_weights.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>

#include "support/expect_words.hpp"
#include "support/small_problems.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <vector>

namespace adacvar {
namespace {

using Scores = std::vector<double>;

TEST(ProjectToSimplex, by_hand) {
  Scores weights = {0.5, 0.8, -1};
  project_to_simplex(weights);
  EXPECT_NEAR(weights[0], 0.35, 1e-12);
  EXPECT_NEAR(weights[1], 0.65, 1e-12);
  EXPECT_EQ(weights[2], 0);
}

double mean_loss(const std::vector<Scores>& scores, const Scores& weights, const Dataset& data,
                 const Loss& loss) {
  Scores sum(scores[0].size(), 0.0);
  for (std::size_t b = 0; b < scores.size(); ++b) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights[b] * scores[b][i];
  }
  Scores losses(data.rows);
  loss.evaluate(sum, data.targets, losses, sum);
  double total = 0;
  for (std::size_t i = 0; i < data.rows; ++i) total += data.weight(i) * losses[i];
  return total / data.total_weight();
}

// The slow twin: a grid over the weights of two bases.
TEST(StackWeights, have_the_least_mean_loss) {
  Rng rng(1);
  for (const Task task : {Task::regression, Task::binary}) {
    Dataset data = support::random_data(task, {.rows = 200}, rng);
    for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(1 + rng.uniform());
    std::vector<Scores> scores(2, Scores(data.rows));
    for (std::size_t i = 0; i < data.rows; ++i) {
      scores[0][i] = data.targets[i] + support::normal(rng) - 0.5;
      scores[1][i] = 2 * static_cast<double>(data.dense[2 * i]);
    }
    const Loss loss = Loss::of_task(task);
    const bool sum_is_one = task == Task::regression;
    const Scores found = fit_stack_weights(scores, data, loss, sum_is_one);
    double least = mean_loss(scores, found, data, loss);
    for (double a = 0; a <= 2; a += 0.02) {
      for (double b = 0; b <= 2; b += 0.02) {
        if (sum_is_one ? std::abs(a + b - 1) > 1e-9 : a + b > 2) continue;
        EXPECT_GE(mean_loss(scores, {a, b}, data, loss), least - 1e-7);
      }
    }
    if (sum_is_one) {
      EXPECT_NEAR(found[0] + found[1], 1, 1e-9);
    }
    EXPECT_GE(std::min(found[0], found[1]), 0);
  }
}

TEST(StackWeights, are_bounded_where_classes_are_separated) {
  Rng rng(2);
  const Dataset data = support::random_data(Task::binary, {.rows = 50}, rng);
  std::vector<Scores> scores(2, Scores(data.rows));
  for (std::size_t i = 0; i < data.rows; ++i) {
    scores[0][i] = scores[1][i] = data.targets[i] > 0 ? 1 : -1;
  }
  const Scores found = fit_stack_weights(scores, data, Loss(LossKind::logistic), false);
  EXPECT_NEAR(found[0] + found[1], 2, 1e-6);
}

TEST(StackWeights, scores_of_0_have_none) {
  Rng rng(2);
  const Dataset data = support::random_data(Task::binary, {.rows = 50}, rng);
  const std::vector<Scores> scores = {Scores(50, 0.0), Scores(data.targets)};
  EXPECT_EQ(fit_stack_weights(scores, data, Loss(LossKind::logistic), false)[0], 0);
}

TEST(StackedScores, by_hand) {
  const std::vector<Scores> scores = {{1, 2}, {3, 2}};
  const StackedScores found = stacked_scores(scores, Scores{0.5, 0.5}, 1);
  EXPECT_EQ(found.sum, (Scores{2, 2}));
  EXPECT_EQ(found.features, (Scores{1, -1, 1, 0, 0, 0}));
  EXPECT_TRUE(stacked_scores(scores, Scores{0.5, 0.5}, 2).features.empty());
}

std::shared_ptr<const LinearModel> line(double weight, double intercept) {
  auto model = std::make_shared<LinearModel>(1, 1);
  model->parameters()[0] = weight;
  model->parameters()[1] = intercept;
  return model;
}

struct Made {
  Dataset data;
  StackModel::Parts parts;
  Preprocessor native;
};

Made made_stack() {
  Preprocessor::Parts columns;
  columns.target = "y";
  columns.target_sd = 2;
  columns.columns.emplace_back().name = "x";
  columns.columns[0].for_trees = true;
  columns.inputs = {"x"};
  Preprocessor native(columns);
  columns.columns[0].for_trees = false;
  columns.columns[0].mean = 1;
  Made made{.data = {}, .parts = {}, .native = native};
  made.data.rows = 2;
  made.data.features = 1;
  made.data.dense = {1, 3};
  made.data.levels = {0};
  Tree stump;
  stump.nodes = {{.left = 1, .right = 2, .value = 2}, {.value = 4}, {.value = 8}};
  auto trees =
      std::make_shared<TreeModel>(TreeModel::Parts{.features = 1, .outputs = 1, .trees = {stump}});
  made.parts.bases = {{"trees", 0.25, false, {trees}},
                      {"linear", 0.75, true, {line(1, 0), line(3, 2)}}};
  made.parts.expansion = std::make_shared<FeatureExpansion>(native, Preprocessor(columns));
  return made;
}

TEST(StackModel, averages_folds_and_adds_bases) {
  const Made made = made_stack();
  // Linear features x - 1: 0 and 2; mean of the lines: 1 + 2 z; trees 4 and 8.
  const StackModel stack(made.parts);
  EXPECT_EQ(all_scores(stack, made.data), (Scores{0.25 * 4 + 0.75 * 1, 0.25 * 8 + 0.75 * 5}));
  EXPECT_EQ(all_scores(*stack.scaled(2), made.data), (Scores{3.5, 11.5}));
  EXPECT_EQ(stack.parameter_count(), 6U);
}

TEST(StackModel, file_keeps_every_bit) {
  const Made made = made_stack();
  const StackModel stack(made.parts);
  const nlohmann::json text = nlohmann::json::parse(stack_to_json(stack, LossKind::squared).dump());
  EXPECT_FALSE(has_network(text));
  const auto again = stack_from_json(JsonView(text), made.native, Loss(LossKind::squared), nullptr);
  EXPECT_EQ(all_scores(*again, made.data), all_scores(stack, made.data));
  EXPECT_EQ(stack_to_json(*again, LossKind::squared), text);
}

TEST(StackModel, damaged_files_are_refused) {
  const Made made = made_stack();
  const nlohmann::json good = stack_to_json(StackModel(made.parts), LossKind::squared);
  const auto refused = [&](const char* pointer, const nlohmann::json& value, const char* words) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    support::expect_words<DataError>(
        [&] {
          (void)stack_from_json(JsonView(bad), made.native, Loss(LossKind::squared), nullptr);
        },
        words);
  };
  refused("/bases", nlohmann::json::array(), "no models");
  refused("/bases/0/weight", -1, "negative");
  refused("/bases/0/models", nlohmann::json::array(), "no models");
  refused("/bases/0/expanded", true, "other features");
  refused("/bases/1/models/0/features", 2, "features");
  refused("/bases/1/models/0/kind", "forest", "forest");
  refused("/factor", 0, "factor");
}

}  // namespace
}  // namespace adacvar
