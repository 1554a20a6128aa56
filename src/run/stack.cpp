#include "run/stack.hpp"

#include "run/trained_model.hpp"

#include <adacvar/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

// The correction's own scores, in the learner's units: it was fitted to standardised targets.
void correct_scores(const Model& correction, const StackedScores& stacked,
                    std::span<double> scores) {
  const std::size_t rows = scores.size();
  const std::size_t columns = stacked.features.size() / rows;
  std::vector<double> matrix;
  matrix.reserve(rows * (columns + 1));
  for (std::size_t i = 0; i < rows; ++i) {
    const auto features = std::span(stacked.features).subspan(i * columns, columns);
    matrix.insert(matrix.end(), features.begin(), features.end());
    matrix.push_back(stacked.sum[i]);
  }
  std::vector<Index> all(rows);
  std::iota(all.begin(), all.end(), Index{0});
  const TrainedModel& model = correction.parts();
  const Dataset data =
      model.preprocessor.apply_features(MatrixView(matrix, rows, columns + 1), all);
  model.scorer().scores(data, all, scores);
  const TargetScale scale = model.preprocessor.target_scale();
  for (double& score : scores) score = scale.mean + scale.sd * score;
}

}  // namespace

StackedScores stacked_scores(std::span<const std::vector<double>> scores,
                             std::span<const double> weights, std::size_t outputs) {
  StackedScores result{.sum = std::vector<double>(scores[0].size(), 0.0), .features = {}};
  for (std::size_t b = 0; b < scores.size(); ++b) {
    for (std::size_t i = 0; i < result.sum.size(); ++i) {
      result.sum[i] += weights[b] * scores[b][i];
    }
  }
  if (outputs > 1) return result;
  const std::size_t bases = scores.size();
  result.features.reserve(result.sum.size() * (bases + 1));
  for (std::size_t i = 0; i < result.sum.size(); ++i) {
    double squares = 0;
    for (std::size_t b = 0; b < bases; ++b) {
      squares += std::pow(scores[b][i] - result.sum[i], 2);
    }
    result.features.push_back(std::sqrt(squares / static_cast<double>(bases)));
    for (std::size_t b = 0; b < bases; ++b) {
      result.features.push_back(scores[b][i] - result.sum[i]);
    }
  }
  return result;
}

StackModel::StackModel(Parts parts) : parts_(std::move(parts)) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw DataError(std::string("the stack is damaged: ") + what);
  };
  require(!parts_.bases.empty(), "it has no models");
  require(parts_.factor > 0 && std::isfinite(parts_.factor), "its factor is not above 0");
  for (const StackBase& base : parts_.bases) {
    require(base.weight >= 0 && std::isfinite(base.weight), "a weight is negative");
    require(!base.folds.empty(), "a base has no models");
    require(!base.is_expanded || parts_.expansion != nullptr, "its features are missing");
    for (const std::shared_ptr<const Scorer>& fold : base.folds) {
      require(fold->outputs() == parts_.outputs, "a model has other outputs");
    }
  }
}

std::vector<std::vector<double>> StackModel::base_scores(const Dataset& data,
                                                         std::span<const Index> rows) const {
  Dataset expanded;
  std::vector<Index> all(rows.size());
  std::iota(all.begin(), all.end(), Index{0});
  if (parts_.expansion) expanded = parts_.expansion->expand(data, rows);
  std::vector<std::vector<double>> result;
  std::vector<double> one(rows.size() * parts_.outputs);
  for (const StackBase& base : parts_.bases) {
    std::vector<double>& scores = result.emplace_back(one.size(), 0.0);
    for (const std::shared_ptr<const Scorer>& fold : base.folds) {
      if (base.is_expanded) {
        fold->scores(expanded, all, one);
      } else {
        fold->scores(data, rows, one);
      }
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += one[i];
    }
    for (double& score : scores) score /= static_cast<double>(base.folds.size());
  }
  return result;
}

void StackModel::scores(const Dataset& data, std::span<const Index> rows,
                        std::span<double> scores) const {
  std::ranges::copy(combined_scores(parts_, base_scores(data, rows)), scores.begin());
}

std::shared_ptr<const NonlinearModel> StackModel::scaled(double factor) const {
  Parts parts = parts_;
  parts.factor *= factor;
  return std::make_shared<StackModel>(std::move(parts));
}

std::uint64_t StackModel::parameter_count() const {
  std::uint64_t count = 0;
  for (const StackBase& base : parts_.bases) {
    for (const std::shared_ptr<const Scorer>& fold : base.folds) {
      if (const auto* const linear = dynamic_cast<const LinearModel*>(fold.get())) {
        count += linear->parameters().size();
      } else {
        count += dynamic_cast<const NonlinearModel&>(*fold).parameter_count();
      }
    }
  }
  return count;
}

double StackModel::norm() const {
  double squares = 0;
  for (const StackBase& base : parts_.bases) {
    for (const std::shared_ptr<const Scorer>& fold : base.folds) {
      if (const auto* const linear = dynamic_cast<const LinearModel*>(fold.get())) {
        for (const double value : linear->parameters()) squares += value * value;
      } else {
        squares += std::pow(dynamic_cast<const NonlinearModel&>(*fold).norm(), 2);
      }
    }
  }
  return std::sqrt(squares);
}

std::vector<double> combined_scores(const StackModel::Parts& parts,
                                    std::span<const std::vector<double>> bases) {
  std::vector<double> weights;
  for (const StackBase& base : parts.bases) weights.push_back(base.weight);
  StackedScores stacked = stacked_scores(bases, weights, parts.outputs);
  std::vector<double> scores = stacked.sum;
  if (parts.correction && !scores.empty()) correct_scores(*parts.correction, stacked, scores);
  for (double& score : scores) score *= parts.factor;
  return scores;
}

}  // namespace adacvar
