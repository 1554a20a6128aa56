#pragma once

#include <adacvar/learner/linear_model.hpp>
#include <adacvar/learner/nonlinear_model.hpp>
#include <adacvar/run/model.hpp>

#include "data/expand_features.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

/// The network of stacks.
inline constexpr const char* kStackNetwork = "mlp:64,64";

/// Models of one kind, one for each fold, whose scores are averaged.
struct StackBase {
  std::string name;  ///< `linear`, `trees for the tail`, ...
  double weight = 0;
  bool is_expanded = false;  ///< takes the features of linear models, not those of trees
  std::vector<std::shared_ptr<const Scorer>> folds;  ///< linear or nonlinear
};

/// Scores of the bases f_b, outputs per row each, and what a correction takes from them: their
/// weighted sum f, the standard deviation of the bases around f and the differences f_b - f.
struct StackedScores {
  std::vector<double> sum;
  std::vector<double> features;  ///< bases + 1 per row; for one output only
};

/// Returns them for the scores of all bases and their weights.
[[nodiscard]] StackedScores stacked_scores(std::span<const std::vector<double>> scores,
                                           std::span<const double> weights, std::size_t outputs);

/// Base models averaged over folds, added with weights, and corrected for the tail.
class StackModel final : public NonlinearModel {
 public:
  struct Parts {
    std::size_t outputs = 1;
    std::vector<StackBase> bases;
    std::shared_ptr<const FeatureExpansion> expansion = nullptr;  ///< for bases that need it
    /// Maps the features of StackedScores and the sum to the score; none: the sum.
    std::optional<Model> correction = {};
    double factor = 1;  ///< on the score
  };

  /// Throws: DataError unless there are bases with a fold each, of these outputs.
  explicit StackModel(Parts parts);

  [[nodiscard]] const Parts& parts() const noexcept { return parts_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return parts_.outputs; }
  void scores(const Dataset& data, std::span<const Index> rows,
              std::span<double> scores) const override;
  [[nodiscard]] std::shared_ptr<const NonlinearModel> scaled(double factor) const override;
  [[nodiscard]] std::uint64_t parameter_count() const override;
  [[nodiscard]] double norm() const override;

  /// Mean scores of the folds of each base.
  [[nodiscard]] std::vector<std::vector<double>> base_scores(const Dataset& data,
                                                             std::span<const Index> rows) const;

 private:
  Parts parts_;
};

/// Returns the scores of a stack whose bases have these scores.
[[nodiscard]] std::vector<double> combined_scores(const StackModel::Parts& parts,
                                                  std::span<const std::vector<double>> bases);

}  // namespace adacvar
