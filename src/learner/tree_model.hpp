#pragma once

#include <adacvar/learner/nonlinear_model.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace adacvar {

/// A node of a tree: a split, or a leaf if it has no children. Children follow their parents.
struct TreeNode {
  std::int32_t left = -1;
  std::int32_t right = -1;
  std::uint32_t feature = 0;
  float value = 0;  ///< a number below it goes left; the value of a leaf
  bool missing_left = false;
  /// Split of levels: those of Tree::categories from `first_category` on go right.
  bool is_categorical = false;
  std::uint32_t first_category = 0;
  std::uint32_t category_count = 0;
  float gain = 0;    ///< decrease of the objective by the split
  float weight = 0;  ///< sum of the second derivatives of its training rows

  [[nodiscard]] bool is_leaf() const noexcept { return left < 0; }
};

struct Tree {
  std::vector<TreeNode> nodes;            ///< the root first
  std::vector<std::uint32_t> categories;  ///< increasing within a node
  std::uint32_t output = 0;
};

/// A sum of trees. Leaves are floats in the user's units, so that a file of XGBoost's holds the
/// whole model: a score, in the learner's units, is the sum of its leaves divided by `unit`.
class TreeModel final : public NonlinearModel {
 public:
  struct Parts {
    std::size_t features = 0;
    std::size_t outputs = 1;
    std::vector<Tree> trees;
    double base = 0;  ///< regression: mean of the target, added to predictions in the user's units
    double unit = 1;  ///< regression: standard deviation of the target
  };

  /// Throws: DataError unless the trees are trees over these features and outputs.
  explicit TreeModel(Parts parts);

  [[nodiscard]] const Parts& parts() const noexcept { return parts_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return parts_.outputs; }
  [[nodiscard]] std::size_t rounds() const noexcept { return parts_.trees.size() / parts_.outputs; }
  /// Cost: O(rows * trees * depth). Absent entries of sparse rows are missing values.
  void scores(const Dataset& data, std::span<const Index> rows,
              std::span<double> scores) const override;

  [[nodiscard]] std::shared_ptr<const NonlinearModel> scaled(double factor) const override;
  [[nodiscard]] std::uint64_t parameter_count() const override;
  [[nodiscard]] double norm() const override;

  /// Returns the trees of both: scores are (1 - share) times these plus share times the other's.
  [[nodiscard]] std::shared_ptr<const TreeModel> mixed(const TreeModel& other, double share) const;
  /// Returns the same model for a learner whose targets are (target - mean) / sd. Precondition: it
  /// has no scale yet.
  [[nodiscard]] std::shared_ptr<const TreeModel> in_units_of(const TargetScale& scale) const;
  /// Share of each feature in the gain of all splits; all 0 if there are none.
  [[nodiscard]] std::vector<double> importance() const;

 private:
  Parts parts_;
};

}  // namespace adacvar
