#include "learner/tree_model_json.hpp"

#include "base/json_view.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace adacvar {

namespace {

using nlohmann::json;

/// JSON whose numbers are floats, written with as few digits as they need.
using FloatJson = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t,
                                       std::uint64_t, float>;

// XGBoost writes the parent of a root so.
constexpr std::int64_t kNoParent = std::numeric_limits<std::int32_t>::max();

FloatJson write_tree(const Tree& tree, std::size_t number, std::size_t features) {
  const std::size_t count = tree.nodes.size();
  std::vector<std::int64_t> parents(count, kNoParent), left, right, indices;
  std::vector<int> types, missing;
  std::vector<float> values, gains, weights, bases;
  FloatJson nodes = FloatJson::array(), segments = FloatJson::array(), sizes = FloatJson::array();
  for (std::size_t n = 0; n < count; ++n) {
    const TreeNode& node = tree.nodes[n];
    if (!node.is_leaf()) {
      parents[static_cast<std::size_t>(node.left)] = static_cast<std::int64_t>(n);
      parents[static_cast<std::size_t>(node.right)] = static_cast<std::int64_t>(n);
    }
    left.push_back(node.left);
    right.push_back(node.right);
    indices.push_back(node.feature);
    types.push_back(node.is_categorical ? 1 : 0);
    missing.push_back(node.missing_left ? 1 : 0);
    values.push_back(node.value);
    gains.push_back(node.gain);
    weights.push_back(node.weight);
    bases.push_back(node.is_leaf() ? node.value : 0.0F);
    if (node.is_categorical) {
      nodes.push_back(n);
      segments.push_back(node.first_category);
      sizes.push_back(node.category_count);
    }
  }
  return {{"base_weights", bases},
          {"categories", tree.categories},
          {"categories_nodes", nodes},
          {"categories_segments", segments},
          {"categories_sizes", sizes},
          {"default_left", missing},
          {"id", number},
          {"left_children", left},
          {"loss_changes", gains},
          {"parents", parents},
          {"right_children", right},
          {"split_conditions", values},
          {"split_indices", indices},
          {"split_type", types},
          {"sum_hessian", weights},
          {"tree_param",
           {{"num_deleted", "0"},
            {"num_feature", std::to_string(features)},
            {"num_nodes", std::to_string(count)},
            {"size_leaf_vector", "0"}}}};
}

// Losses that XGBoost does not know have its objective of the same link.
FloatJson write_objective(LossKind loss, std::size_t outputs) {
  if (loss == LossKind::softmax) {
    return {{"name", "multi:softprob"},
            {"softmax_multiclass_param", {{"num_class", std::to_string(outputs)}}}};
  }
  const char* const name = loss == LossKind::logistic ? "binary:logistic"
                           : loss == LossKind::hinge  ? "binary:logitraw"
                                                      : "reg:squarederror";
  return {{"name", name}, {"reg_loss_param", {{"scale_pos_weight", "1"}}}};
}

// A logistic score of 0 is a probability of 1/2.
double base_score(const TreeModel& model, LossKind loss) {
  return loss == LossKind::logistic || loss == LossKind::softmax ? 0.5 : model.parts().base;
}

std::vector<std::int64_t> integers(const JsonView& from) {
  std::vector<std::int64_t> numbers;
  for (const JsonView& item : from.items()) {
    const json& value = item.raw();
    if (!value.is_number_integer()) throw DataError("the trees are damaged: not an integer");
    numbers.push_back(value.get<std::int64_t>());
  }
  return numbers;
}

/// One tree as XGBoost stores it.
struct StoredTree {
  explicit StoredTree(const JsonView& from)
      : left(integers(from.at("left_children"))),
        right(integers(from.at("right_children"))),
        indices(integers(from.at("split_indices"))),
        types(integers(from.at("split_type"))),
        missing(integers(from.at("default_left"))),
        categories(integers(from.at("categories"))),
        category_nodes(integers(from.at("categories_nodes"))),
        segments(integers(from.at("categories_segments"))),
        sizes(integers(from.at("categories_sizes"))),
        values(from.at("split_conditions").get<std::vector<double>>()),
        gains(from.at("loss_changes").get<std::vector<double>>()),
        weights(from.at("sum_hessian").get<std::vector<double>>()) {
    const std::size_t count = left.size();
    for (const std::size_t size : {right.size(), indices.size(), types.size(), missing.size(),
                                   values.size(), gains.size(), weights.size()}) {
      if (size != count) throw DataError("the trees are damaged: lengths differ");
    }
    if (category_nodes.size() != segments.size() || category_nodes.size() != sizes.size()) {
      throw DataError("the trees are damaged: lengths of levels differ");
    }
  }

  std::vector<std::int64_t> left, right, indices, types, missing;
  std::vector<std::int64_t> categories, category_nodes, segments, sizes;
  std::vector<double> values, gains, weights;
};

template <class Number>
Number narrowed(std::int64_t value) {
  if (!std::in_range<Number>(value)) throw DataError("the trees are damaged: out of range");
  return static_cast<Number>(value);
}

void copy_levels(const StoredTree& stored, std::size_t at, TreeNode& node, Tree& tree) {
  node.is_categorical = true;
  node.value = 0;
  const auto found = std::ranges::find(stored.category_nodes, static_cast<std::int64_t>(at));
  if (found == stored.category_nodes.end()) throw DataError("the trees are damaged: no levels");
  const auto place = static_cast<std::size_t>(found - stored.category_nodes.begin());
  const auto first = narrowed<std::uint32_t>(stored.segments[place]);
  const auto count = narrowed<std::uint32_t>(stored.sizes[place]);
  if (std::size_t{first} + count > stored.categories.size()) {
    throw DataError("the trees are damaged: a list of levels is too short");
  }
  node.first_category = static_cast<std::uint32_t>(tree.categories.size());
  node.category_count = count;
  for (std::size_t c = first; c < std::size_t{first} + count; ++c) {
    tree.categories.push_back(narrowed<std::uint32_t>(stored.categories[c]));
  }
  std::sort(tree.categories.end() - count, tree.categories.end());
}

// Breadth first, so that children follow their parents and deleted nodes are left out.
Tree read_tree(const StoredTree& stored) {
  Tree tree;
  std::vector<std::size_t> queue{0};
  for (std::size_t n = 0; n < queue.size(); ++n) {
    const std::size_t at = queue[n];
    if (at >= stored.left.size() || queue.size() > stored.left.size()) {
      throw DataError("the trees are damaged: not a tree");
    }
    TreeNode node{.feature = narrowed<std::uint32_t>(stored.indices[at]),
                  .value = static_cast<float>(stored.values[at]),
                  .missing_left = stored.missing[at] != 0,
                  .gain = static_cast<float>(stored.gains[at]),
                  .weight = static_cast<float>(stored.weights[at])};
    if (stored.left[at] >= 0) {
      node.left = narrowed<std::int32_t>(static_cast<std::int64_t>(queue.size()));
      node.right = node.left + 1;
      queue.push_back(narrowed<std::uint32_t>(stored.left[at]));
      queue.push_back(narrowed<std::uint32_t>(stored.right[at]));
      if (stored.types[at] == 1) copy_levels(stored, at, node, tree);
    }
    tree.nodes.push_back(node);
  }
  return tree;
}

double number_in(const JsonView& from, std::string_view key) {
  const auto text = from.at(key).get<std::string>();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw DataError(fmt::format("the trees are damaged: {} = '{}' is not a number", key, text));
  }
  return value;
}

TreeModel read_model(const JsonView& from, double unit) {
  const JsonView learner = from.at("learner");
  const JsonView booster = learner.at("gradient_booster");
  if (const auto name = booster.at("name").get<std::string>(); name != "gbtree") {
    throw DataError(fmt::format("a booster '{}' is not one of: gbtree", name));
  }
  const JsonView shape = learner.at("learner_model_param");
  TreeModel::Parts parts;
  parts.unit = unit;
  parts.features = static_cast<std::size_t>(number_in(shape, "num_feature"));
  parts.outputs = std::max(std::size_t{1}, static_cast<std::size_t>(number_in(shape, "num_class")));
  const auto objective = learner.at("objective").at("name").get<std::string>();
  if (objective.starts_with("reg:")) parts.base = number_in(shape, "base_score");
  const std::vector<std::int64_t> outputs = integers(booster.at("model").at("tree_info"));
  const std::vector<JsonView> trees = booster.at("model").at("trees").items();
  if (trees.size() != outputs.size()) throw DataError("the trees are damaged: lengths differ");
  for (std::size_t t = 0; t < trees.size(); ++t) {
    parts.trees.push_back(read_tree(StoredTree(trees[t])));
    parts.trees.back().output = narrowed<std::uint32_t>(outputs[t]);
  }
  return TreeModel(std::move(parts));
}

template <class Parse>
TreeModel parsed(const Parse& parse, double unit) {
  json content;
  try {
    content = parse();
  } catch (const json::exception&) {
    throw DataError("is not a model file of XGBoost");
  }
  return read_model(JsonView(content), unit);
}

}  // namespace

std::string to_xgboost_json(const TreeModel& model, LossKind loss, const TreeFeatures& features) {
  const TreeModel::Parts& parts = model.parts();
  FloatJson trees = FloatJson::array();
  FloatJson outputs = FloatJson::array();
  for (std::size_t t = 0; t < parts.trees.size(); ++t) {
    trees.push_back(write_tree(parts.trees[t], t, parts.features));
    outputs.push_back(parts.trees[t].output);
  }
  FloatJson types = FloatJson::array();
  for (const std::uint32_t levels : features.levels) types.push_back(levels > 0 ? "c" : "float");
  const std::size_t classes = parts.outputs > 1 ? parts.outputs : 0;
  const FloatJson content = {
      {"version", {1, 7, 4}},
      {"learner",
       {{"attributes", FloatJson::object()},
        {"feature_names", std::vector<std::string>(features.names.begin(), features.names.end())},
        {"feature_types", types},
        {"gradient_booster",
         {{"name", "gbtree"},
          {"model",
           {{"gbtree_model_param",
             {{"num_parallel_tree", "1"},
              {"num_trees", std::to_string(parts.trees.size())},
              {"size_leaf_vector", "0"}}},
            {"tree_info", outputs},
            {"trees", std::move(trees)}}}}},
        {"learner_model_param",
         {{"base_score", fmt::format("{}", static_cast<float>(base_score(model, loss)))},
          {"boost_from_average", "1"},
          {"num_class", std::to_string(classes)},
          {"num_feature", std::to_string(parts.features)},
          {"num_target", "1"}}},
        {"objective", write_objective(loss, parts.outputs)}}}};
  return content.dump();
}

TreeModel from_xgboost_json(std::string_view text, double unit) {
  return parsed([&] { return json::parse(text); }, unit);
}

TreeModel from_xgboost_ubjson(std::string_view bytes, double unit) {
  return parsed([&] { return json::from_ubjson(bytes); }, unit);
}

}  // namespace adacvar
