#include "run/tree_importance.hpp"

#include "data/read_table.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/run/model.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

namespace adacvar {
namespace {

// Splits feature `feature` at `value`, or off its level 1 where `is_level`: leaves 0 and `right`.
Tree stump(std::uint32_t feature, float value, float right, float gain, bool is_level = false) {
  Tree tree;
  TreeNode root{.left = 1, .right = 2, .feature = feature, .value = value, .gain = gain};
  if (is_level) {
    root.is_categorical = true;
    root.category_count = 1;
    tree.categories = {1};
  }
  tree.nodes = {root, {.value = 0}, {.value = right}};
  return tree;
}

struct Made {
  TrainedModel model;
  Dataset training;
};

// y: mean 2, so that predictions are 2 + leaves.
Made made(std::string_view csv, std::vector<Tree> trees, LossKind loss = LossKind::squared) {
  const Table table = parse_csv(csv, "t.csv", {});
  std::vector<Index> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  Preprocessor preprocessor = Preprocessor::fit(table, rows, {.target = "y", .for_trees = true});
  Dataset training = preprocessor.apply(table, rows);
  const TargetScale scale = preprocessor.target_scale();
  auto model = std::make_shared<TreeModel>(TreeModel::Parts{.features = preprocessor.features(),
                                                            .trees = std::move(trees),
                                                            .base = scale.mean,
                                                            .unit = scale.sd});
  return {{.preprocessor = std::move(preprocessor),
           .loss = Loss(loss),
           .model = {},
           .nonlinear = model,
           .options = {},
           .source = {},
           .fingerprint = {},
           .shares = {}},
          std::move(training)};
}

constexpr std::string_view kTable = "x,c,z,y\n1,a,7,1\n2,b,8,2\n3,b,9,2\n4,b,?,3\n";

TEST(TreeImportance, is_the_share_of_the_gain_largest_first) {
  const Made one = made(kTable, {stump(0, 2.5F, 1, 1), stump(1, 0, 4, 3, true)});
  const std::vector<ColumnImportance> columns = importance_of(one.model);
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0].column, "c");
  EXPECT_DOUBLE_EQ(columns[0].share, 0.75);
  EXPECT_EQ(columns[1].column, "x");
  EXPECT_DOUBLE_EQ(columns[1].share, 0.25);
  EXPECT_EQ(columns[2].share, 0);
  EXPECT_EQ(Model(one.model).importance()[0].column, "c");
}

TEST(TreeImportance, linear_models_have_none) {
  Made one = made(kTable, {});
  one.model.nonlinear = nullptr;
  support::expect_words<OptionError>([&] { (void)importance_of(one.model); }, "only trees");
}

// Scores are x > 2.5 plus 4 [c = b]; half of the rows have x > 2.5, three quarters level b.
TEST(PartialDependence, is_the_mean_over_the_rows) {
  const Made one = made(kTable, {stump(0, 2.5F, 1, 1), stump(1, 0, 4, 3, true)});
  const std::vector<PartialDependence> found = partial_dependence(one.model, one.training);
  ASSERT_EQ(found.size(), 2U);  // z decides nothing
  EXPECT_EQ(found[0].column, "c");
  EXPECT_EQ(found[0].levels, (std::vector<std::string>{"b", "a"}));  // the more frequent first
  EXPECT_EQ(found[0].outputs, (std::vector<std::string>{"y"}));
  EXPECT_EQ(found[0].predictions, (std::vector<std::vector<double>>{{2 + 0.5 + 4, 2 + 0.5}}));
  EXPECT_EQ(found[1].values, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(found[1].predictions, (std::vector<std::vector<double>>{{5, 5, 6, 6}}));
}

TEST(PartialDependence, rows_count_by_their_weights) {
  Made one = made(kTable, {stump(0, 2.5F, 1, 1), stump(1, 0, 4, 3, true)});
  one.training.weights = {3, 1, 1, 1};  // half of the weight has level a
  EXPECT_EQ(partial_dependence(one.model, one.training)[1].predictions[0][0], 4);
}

TEST(PartialDependence, of_two_classes_is_the_probability_of_the_second) {
  const Made one =
      made("x,y\n1,no\n2,no\n3,yes\n4,yes\n", {stump(0, 2.5F, 2, 1)}, LossKind::logistic);
  const std::vector<PartialDependence> found = partial_dependence(one.model, one.training);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outputs, (std::vector<std::string>{"yes"}));
  EXPECT_DOUBLE_EQ(found[0].predictions[0].front(), 0.5);
  EXPECT_NEAR(found[0].predictions[0].back(), 1 / (1 + std::exp(-2.0)), 1e-12);
}

TEST(PartialDependence, missing_values_are_no_point_of_the_grid) {
  const Made one = made(kTable, {stump(2, 8.5F, 1, 1)});
  EXPECT_EQ(partial_dependence(one.model, one.training)[0].values, (std::vector<double>{7, 8, 9}));
}

}  // namespace
}  // namespace adacvar
