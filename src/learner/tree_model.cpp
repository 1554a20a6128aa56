#include "learner/tree_model.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace adacvar {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw DataError(fmt::format("the trees are damaged: {}", what));
}

// Children follow their parents, and each has one: so there is no cycle.
void check_tree(const Tree& tree, const TreeModel::Parts& parts) {
  require(!tree.nodes.empty(), "a tree has no node");
  require(tree.output < parts.outputs, "a tree belongs to no output");
  std::vector<bool> has_parent(tree.nodes.size(), false);
  const auto check_child = [&](std::size_t parent, std::int32_t child) {
    require(child > static_cast<std::int64_t>(parent) &&
                static_cast<std::size_t>(child) < tree.nodes.size(),
            "a child is not one of the nodes after its parent");
    require(!has_parent[static_cast<std::size_t>(child)], "a node has two parents");
    has_parent[static_cast<std::size_t>(child)] = true;
  };
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const TreeNode& node = tree.nodes[n];
    require(std::isfinite(node.value), "a value is not finite");
    require((node.left < 0) == (node.right < 0), "a node has one child");
    if (node.is_leaf()) continue;
    check_child(n, node.left);
    check_child(n, node.right);
    require(node.feature < parts.features, "a feature is not one of the model's");
    const std::size_t end = std::size_t{node.first_category} + node.category_count;
    require(end <= tree.categories.size(), "a list of levels is too short");
    require(std::is_sorted(tree.categories.begin() + node.first_category,
                           tree.categories.begin() + static_cast<std::ptrdiff_t>(end)),
            "levels are not sorted");
  }
}

// As XGBoost decides: levels that are listed go right, all others left.
bool goes_left(const Tree& tree, const TreeNode& node, float value) {
  if (std::isnan(value)) return node.missing_left;
  if (!node.is_categorical) return value < node.value;
  const auto begin = tree.categories.begin() + node.first_category;
  return !std::binary_search(begin, begin + node.category_count, static_cast<std::uint32_t>(value));
}

float leaf_of(const Tree& tree, const float* features) {
  const TreeNode* node = tree.nodes.data();
  while (!node->is_leaf()) {
    const bool left = goes_left(tree, *node, features[node->feature]);
    node = &tree.nodes[static_cast<std::size_t>(left ? node->left : node->right)];
  }
  return node->value;
}

void scale_leaves(Tree& tree, double factor) {
  for (TreeNode& node : tree.nodes) {
    if (node.is_leaf()) node.value = static_cast<float>(node.value * factor);
  }
}

/// Features of some rows, dense: those of sparse rows are expanded.
class DenseRows {
 public:
  static constexpr std::size_t kMost = 64;

  explicit DenseRows(const Dataset& data) : data_(data) {
    if (data.is_sparse()) {
      buffer_.assign(kMost * data.features, std::numeric_limits<float>::quiet_NaN());
    }
  }
  void load(std::span<const Index> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!data_.is_sparse()) {
        pointers_[i] = data_.dense.data() + rows[i] * data_.features;
        continue;
      }
      float* const to = buffer_.data() + i * data_.features;
      std::fill_n(to, data_.features, std::numeric_limits<float>::quiet_NaN());
      for (std::size_t e = data_.start[rows[i]]; e < data_.start[rows[i] + 1]; ++e) {
        to[data_.column[e]] = data_.entry(e);
      }
      pointers_[i] = to;
    }
  }
  [[nodiscard]] const float* operator[](std::size_t i) const { return pointers_[i]; }

 private:
  const Dataset& data_;
  std::vector<float> buffer_;
  std::array<const float*, kMost> pointers_ = {};
};

}  // namespace

TreeModel::TreeModel(Parts parts) : parts_(std::move(parts)) {
  require(parts_.outputs > 0 && std::isfinite(parts_.base) && parts_.unit > 0 &&
              std::isfinite(parts_.unit),
          "outputs or scale");
  for (const Tree& tree : parts_.trees) check_tree(tree, parts_);
}

void TreeModel::scores(const Dataset& data, std::span<const Index> rows,
                       std::span<double> scores) const {
  if (data.features != parts_.features || scores.size() != rows.size() * parts_.outputs) {
    throw OptionError(
        fmt::format("trees of {} features and {} outputs: the data has {} features, "
                    "there are {} scores for {} rows",
                    parts_.features, parts_.outputs, data.features, scores.size(), rows.size()));
  }
  std::ranges::fill(scores, 0.0);
  DenseRows block(data);
  for (std::size_t begin = 0; begin < rows.size(); begin += DenseRows::kMost) {
    const auto part = rows.subspan(begin, std::min(DenseRows::kMost, rows.size() - begin));
    block.load(part);
    for (const Tree& tree : parts_.trees) {
      double* const to = scores.data() + begin * parts_.outputs + tree.output;
      for (std::size_t i = 0; i < part.size(); ++i) {
        to[i * parts_.outputs] += static_cast<double>(leaf_of(tree, block[i]));
      }
    }
  }
  for (double& score : scores) score /= parts_.unit;
}

std::shared_ptr<const NonlinearModel> TreeModel::scaled(double factor) const {
  Parts parts = parts_;
  for (Tree& tree : parts.trees) scale_leaves(tree, factor);
  return std::make_shared<TreeModel>(std::move(parts));
}

std::uint64_t TreeModel::parameter_count() const {
  std::uint64_t count = 0;
  for (const Tree& tree : parts_.trees) {
    count += static_cast<std::uint64_t>(std::ranges::count_if(tree.nodes, &TreeNode::is_leaf));
  }
  return count;
}

double TreeModel::norm() const {
  double squares = 0;
  for (const Tree& tree : parts_.trees) {
    for (const TreeNode& node : tree.nodes) {
      if (node.is_leaf()) squares += std::pow(static_cast<double>(node.value) / parts_.unit, 2);
    }
  }
  return std::sqrt(squares);
}

std::shared_ptr<const TreeModel> TreeModel::mixed(const TreeModel& other, double share) const {
  if (other.parts_.features != parts_.features || other.parts_.outputs != parts_.outputs ||
      other.parts_.unit != parts_.unit) {
    throw OptionError("trees of other features, outputs or units cannot be mixed");
  }
  Parts parts = parts_;
  for (Tree& tree : parts.trees) scale_leaves(tree, 1 - share);
  for (const Tree& tree : other.parts_.trees) {
    parts.trees.push_back(tree);
    scale_leaves(parts.trees.back(), share);
  }
  return std::make_shared<TreeModel>(std::move(parts));
}

std::shared_ptr<const TreeModel> TreeModel::in_units_of(const TargetScale& scale) const {
  Parts parts = parts_;
  for (Tree& tree : parts.trees) scale_leaves(tree, scale.sd);
  parts.base = scale.mean;
  parts.unit = scale.sd;
  return std::make_shared<TreeModel>(std::move(parts));
}

std::vector<double> TreeModel::importance() const {
  std::vector<double> gains(parts_.features, 0.0);
  double total = 0;
  for (const Tree& tree : parts_.trees) {
    for (const TreeNode& node : tree.nodes) {
      if (node.is_leaf()) continue;
      gains[node.feature] += static_cast<double>(node.gain);
      total += static_cast<double>(node.gain);
    }
  }
  if (total > 0) {
    for (double& gain : gains) gain /= total;
  }
  return gains;
}

}  // namespace adacvar
