#include "learner/tree_model.hpp"

#include "learner/predict.hpp"
#include "learner/tree_model_json.hpp"

#include "support/expect_words.hpp"

#include <adacvar/base/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace adacvar {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// x0 < 2 ? 1 : (level of x1 in {0, 2} ? 3 : 2); missing x0 goes left, missing x1 right.
Tree small_tree() {
  Tree tree;
  tree.nodes = {
      {.left = 1, .right = 2, .feature = 0, .value = 2, .missing_left = true, .gain = 3},
      {.value = 1},
      {.left = 3, .right = 4, .feature = 1, .is_categorical = true, .category_count = 2, .gain = 1},
      {.value = 2},
      {.value = 3}};
  tree.categories = {0, 2};
  return tree;
}

TreeModel small_model() {
  return TreeModel({.features = 2, .outputs = 1, .trees = {small_tree()}});
}

Dataset rows_of(std::vector<float> values) {
  Dataset data;
  data.features = 2;
  data.rows = values.size() / 2;
  data.dense = std::move(values);
  data.levels = {0, 3};
  return data;
}

TEST(TreeModel, splits_numbers_levels_and_missing_values) {
  const Dataset data = rows_of({1.5F, 0, 2, 0, 2, 1, 5, 2, kMissing, 0, 3, kMissing, 3, 7});
  EXPECT_EQ(all_scores(small_model(), data), (std::vector<double>{1, 3, 2, 3, 1, 3, 2}));
}

TEST(TreeModel, absent_entries_of_sparse_rows_are_missing) {
  Dataset data;
  data.features = 2;
  data.rows = 2;
  data.start = {0, 1, 2};
  data.column = {1, 0};
  data.value = {1, 4};
  EXPECT_EQ(all_scores(small_model(), data), (std::vector<double>{1, 3}));
}

TEST(TreeModel, adds_trees_per_output) {
  Tree stump;
  stump.nodes = {{.value = 0.5}};
  stump.output = 1;
  const TreeModel model({.features = 2, .outputs = 2, .trees = {small_tree(), stump, stump}});
  EXPECT_EQ(all_scores(model, rows_of({1, 0})), (std::vector<double>{1, 1}));
  EXPECT_EQ(model.parameter_count(), 5U);
}

TEST(TreeModel, mixes_scales_and_converts_units) {
  Tree stump;
  stump.nodes = {{.value = 8}};
  const TreeModel other({.features = 2, .outputs = 1, .trees = {stump}});
  const Dataset data = rows_of({1, 0, 2, 0});
  EXPECT_EQ(all_scores(*small_model().mixed(other, 0.25), data), (std::vector<double>{2.75, 4.25}));
  EXPECT_EQ(all_scores(*small_model().scaled(2), data), (std::vector<double>{2, 6}));
  const auto in_units = small_model().in_units_of({.mean = 100, .sd = 4});
  EXPECT_EQ(all_scores(*in_units, data), (std::vector<double>{1, 3}));
  EXPECT_EQ(in_units->parts().trees[0].nodes[1].value, 4.0F);
  EXPECT_DOUBLE_EQ(in_units->norm(), std::sqrt(1.0 + 4 + 9));
}

TEST(TreeModel, importance_is_the_share_of_the_gain) {
  EXPECT_EQ(small_model().importance(), (std::vector<double>{0.75, 0.25}));
  Tree stump;
  stump.nodes = {{.value = 8}};
  const TreeModel constant({.features = 2, .outputs = 1, .trees = {stump}});
  EXPECT_EQ(constant.importance(), (std::vector<double>{0, 0}));
}

TEST(TreeModel, xgboosts_file_keeps_every_bit) {
  const auto model = small_model().in_units_of({.mean = 0.1, .sd = 1.0 / 3});
  const std::string text = to_xgboost_json(*model, LossKind::squared);
  const TreeModel again = from_xgboost_json(text, model->parts().unit);
  EXPECT_EQ(to_xgboost_json(again, LossKind::squared), text);
  const Dataset data = rows_of({1, 0, 2, 0, 2, 1, kMissing, kMissing});
  EXPECT_EQ(all_scores(again, data), all_scores(*model, data));
  EXPECT_EQ(again.importance(), model->importance());
}

TEST(TreeModel, refuses_damaged_trees) {
  const auto refused = [](const auto& change) {
    Tree tree = small_tree();
    change(tree);
    support::expect_words<DataError>(
        [&] { TreeModel({.features = 2, .outputs = 1, .trees = {tree}}); }, "damaged");
  };
  refused([](Tree& tree) { tree.nodes.clear(); });
  refused([](Tree& tree) { tree.nodes[0].left = 0; });
  refused([](Tree& tree) { tree.nodes[0].right = 1; });
  refused([](Tree& tree) { tree.nodes[0].right = 9; });
  refused([](Tree& tree) { tree.nodes[2].right = -1; });
  refused([](Tree& tree) { tree.nodes[0].feature = 2; });
  refused([](Tree& tree) { tree.nodes[2].category_count = 3; });
  refused([](Tree& tree) { tree.nodes[1].value = kMissing; });
  refused([](Tree& tree) { tree.output = 1; });
}

TEST(TreeModel, refuses_damaged_files) {
  const std::string good = to_xgboost_json(small_model(), LossKind::logistic);
  const auto refused = [&](const std::string& from, const std::string& to, const char* words) {
    std::string text = good;
    const std::size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    text.replace(place, from.size(), to);
    support::expect_words<DataError>([&] { (void)from_xgboost_json(text, 1); }, words);
  };
  refused("{", "", "not a model file");
  refused("\"gbtree\"", "\"gblinear\"", "gblinear");
  refused("\"left_children\":[1", "\"left_children\":[0", "damaged");
  refused("\"left_children\":[1", "\"left_children\":[-7,1", "damaged");
  refused("\"split_indices\":[0", "\"split_indices\":[4294967296", "damaged");
  refused("\"tree_info\":[0]", "\"tree_info\":[0,0]", "damaged");
  refused("\"num_feature\":\"2\",\"num_target", "\"num_feature\":\"1e\",\"num_target",
          "num_feature");
}

TEST(TreeModel, refuses_other_features) {
  Dataset data = rows_of({1, 0});
  data.features = 1;
  data.rows = 2;
  support::expect_words<OptionError>([&] { (void)all_scores(small_model(), data); }, "features");
}

}  // namespace
}  // namespace adacvar
