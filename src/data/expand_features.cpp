#include "data/expand_features.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace adacvar {

FeatureExpansion::FeatureExpansion(const Preprocessor& native, Preprocessor linear)
    : linear_(std::move(linear)) {
  const Preprocessor::Parts& from = native.parts();
  const Preprocessor::Parts& to = linear_.parts();
  if (from.sparse != to.sparse || from.sparse_columns != to.sparse_columns) {
    throw DataError("the two sets of features are not of the same columns");
  }
  for (const ColumnTransform& column : to.columns) {
    const auto found = std::ranges::find(from.columns, column.name, &ColumnTransform::name);
    if (found == from.columns.end() || found->categorical != column.categorical ||
        found->levels != column.levels) {
      throw DataError(fmt::format("column '{}' is not one of the trees' features", column.name));
    }
    places_.push_back(static_cast<std::size_t>(found - from.columns.begin()));
    shifts_.push_back(found->mean);
  }
}

Dataset FeatureExpansion::expand(const Dataset& data) const {
  std::vector<Index> rows(data.rows);
  std::iota(rows.begin(), rows.end(), Index{0});
  return expand(data, rows);
}

Dataset FeatureExpansion::expand(const Dataset& data, std::span<const Index> rows) const {
  Dataset to;
  to.rows = rows.size();
  to.features = linear_.features();
  to.task = data.task;
  to.target_error = data.target_error;
  to.class_names = data.class_names;
  for (const Index row : rows) {
    if (!data.targets.empty()) to.targets.push_back(data.targets[row]);
    if (!data.weights.empty()) to.weights.push_back(data.weights[row]);
  }
  if (data.is_sparse()) {
    expand_sparse(data, rows, to);
  } else {
    expand_table(data, rows, to);
  }
  return to;
}

void FeatureExpansion::expand_table(const Dataset& data, std::span<const Index> rows,
                                    Dataset& to) const {
  to.dense.assign(to.rows * to.features, 0.0F);
  std::size_t offset = 0;
  for (std::size_t c = 0; c < places_.size(); ++c) {
    const ColumnTransform& column = linear_.parts().columns[c];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float value = data.dense[rows[i] * data.features + places_[c]];
      float* const features = to.dense.data() + i * to.features + offset;
      if (!column.categorical) {
        const double known =
            std::isnan(value) ? column.fill - shifts_[c] : static_cast<double>(value);
        *features = static_cast<float>((known - (column.mean - shifts_[c])) / column.scale);
      } else if (!std::isnan(value)) {
        features[static_cast<std::size_t>(value)] = 1.0F;
      } else if (column.missing_level) {
        features[column.levels.size()] = 1.0F;
      }
    }
    offset += column.features();
    if (column.categorical) to.reference_levels.push_back(static_cast<std::uint32_t>(offset - 1));
  }
}

void FeatureExpansion::expand_sparse(const Dataset& data, std::span<const Index> rows,
                                     Dataset& to) const {
  to.start.push_back(0);
  for (const Index row : rows) {
    for (std::size_t e = data.start[row]; e < data.start[row + 1]; ++e) {
      const double scale = linear_.parts().sparse_scales[data.column[e]];
      to.column.push_back(data.column[e]);
      to.value.push_back(static_cast<float>(static_cast<double>(data.entry(e)) / scale));
    }
    to.start.push_back(to.column.size());
  }
}

}  // namespace adacvar
