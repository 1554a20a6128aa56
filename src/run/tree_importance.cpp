#include "run/tree_importance.hpp"

#include "learner/predict.hpp"
#include "run/input_columns.hpp"

#include <adacvar/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

constexpr std::size_t kMostColumns = 6;
constexpr std::size_t kMostRows = 200;
constexpr std::size_t kMostValues = 20;

// Positions of the columns by decreasing share, ties as in the data.
std::vector<std::size_t> by_importance(const std::vector<double>& shares) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t c) { return shares[c]; });
  return order;
}

/// Evenly spaced rows.
Dataset sampled(const Dataset& data) {
  Dataset sample;
  sample.task = data.task;
  sample.class_names = data.class_names;
  sample.features = data.features;
  sample.levels = data.levels;
  sample.rows = std::min(data.rows, kMostRows);
  for (std::size_t i = 0; i < sample.rows; ++i) {
    const std::size_t row = i * data.rows / sample.rows;
    const auto begin = data.dense.begin() + static_cast<std::ptrdiff_t>(row * data.features);
    sample.dense.insert(sample.dense.end(), begin,
                        begin + static_cast<std::ptrdiff_t>(data.features));
    if (!data.weights.empty()) sample.weights.push_back(data.weights[row]);
  }
  return sample;
}

// Quantiles of the numbers that are present, without repetitions.
std::vector<float> grid_of(const Dataset& data, std::size_t feature) {
  std::vector<float> values;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const float value = data.dense[i * data.features + feature];
    if (!std::isnan(value)) values.push_back(value);
  }
  std::ranges::sort(values);
  std::vector<float> grid;
  const std::size_t count = std::min(kMostValues, values.size());
  for (std::size_t k = 0; k < count; ++k) {
    grid.push_back(values[count == 1 ? 0 : k * (values.size() - 1) / (count - 1)]);
  }
  grid.erase(std::ranges::unique(grid).begin(), grid.end());
  return grid;
}

// The levels that occur most.
std::vector<float> frequent_levels(const Dataset& data, std::size_t feature, std::size_t levels) {
  std::vector<double> counts(levels, 0.0);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const float value = data.dense[i * data.features + feature];
    if (!std::isnan(value)) counts[static_cast<std::size_t>(value)] += data.weight(i);
  }
  std::vector<std::size_t> order = by_importance(counts);
  order.resize(std::min(kMostValues, order.size()));
  return {order.begin(), order.end()};
}

/// Mean predictions of a model over some rows.
class MeanPrediction {
 public:
  explicit MeanPrediction(const TrainedModel& model)
      : model_(model), classes_(model.preprocessor.parts().class_names) {}

  // The second of two classes says it all.
  [[nodiscard]] std::vector<std::string> outputs() const {
    if (classes_.empty()) return {model_.preprocessor.parts().target};
    if (classes_.size() == 2) return {classes_[1]};
    return classes_;
  }

  [[nodiscard]] std::vector<double> over(const Dataset& rows) const {
    const Predictions found =
        predict(*model_.nonlinear, model_.loss, rows, model_.preprocessor.target_scale());
    const std::size_t width = found.probabilities.empty() ? 1 : classes_.size();
    const std::size_t first = width == 2 ? 1 : 0;
    const std::vector<double>& values = !found.probabilities.empty() ? found.probabilities
                                        : !found.scores.empty()      ? found.scores
                                                                     : found.values;
    std::vector<double> means(width - first, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      total += rows.weight(i);
      for (std::size_t o = first; o < width; ++o) {
        means[o - first] += rows.weight(i) * values[i * width + o];
      }
    }
    for (double& mean : means) mean /= total;
    return means;
  }

 private:
  const TrainedModel& model_;
  const std::vector<std::string>& classes_;
};

PartialDependence dependence_on(const InputColumn& column, const MeanPrediction& mean,
                                Dataset rows) {
  PartialDependence dependence{.column = column.name, .outputs = mean.outputs()};
  dependence.predictions.resize(dependence.outputs.size());
  const std::vector<std::string>& levels = column.transform->levels;
  const bool is_category = column.transform->categorical;
  const std::vector<float> grid = is_category ? frequent_levels(rows, column.first, levels.size())
                                              : grid_of(rows, column.first);
  for (const float value : grid) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      rows.dense[i * rows.features + column.first] = value;
    }
    const std::vector<double> means = mean.over(rows);
    for (std::size_t o = 0; o < means.size(); ++o) dependence.predictions[o].push_back(means[o]);
    if (is_category) {
      dependence.levels.push_back(levels[static_cast<std::size_t>(value)]);
    } else {
      dependence.values.push_back(static_cast<double>(value));
    }
  }
  return dependence;
}

}  // namespace

std::vector<ColumnImportance> importance_of(const TrainedModel& model) {
  const TreeModel* const trees = model.trees();
  if (trees == nullptr) {
    throw OptionError("only trees have an importance of columns; linear models have coefficients");
  }
  const std::vector<double> shares = trees->importance();
  const std::vector<InputColumn> columns = input_columns(model.preprocessor.parts());
  std::vector<ColumnImportance> result;
  for (const std::size_t c : by_importance(shares)) {
    result.push_back({columns[c].name, shares[c]});
  }
  return result;
}

std::vector<PartialDependence> partial_dependence(const TrainedModel& model,
                                                  const Dataset& training) {
  if (training.is_sparse()) return {};
  const std::vector<double> shares = model.trees()->importance();
  const std::vector<InputColumn> columns = input_columns(model.preprocessor.parts());
  const MeanPrediction mean(model);
  const Dataset rows = sampled(training);
  std::vector<PartialDependence> result;
  for (const std::size_t c : by_importance(shares)) {
    if (result.size() == kMostColumns || shares[c] == 0) break;
    result.push_back(dependence_on(columns[c], mean, rows));
  }
  return result;
}

}  // namespace adacvar
