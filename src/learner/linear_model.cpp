#include <adacvar/learner/linear_model.hpp>

#include <adacvar/base/error.hpp>

#include "learner/row_kernels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

LinearModel::LinearModel(std::size_t features, std::size_t outputs)
    : features_(features), outputs_(outputs), parameters_((features + 1) * outputs, 0.0) {}

double LinearModel::penalty(double ridge) const {
  if (ridge == 0) return 0;
  double squares = 0;
  for (std::size_t o = 0; o < outputs_; ++o) {
    for (const double weight : weights(o)) squares += weight * weight;
  }
  return 0.5 * ridge * squares;
}

bool LinearModel::is_finite() const {
  return std::ranges::all_of(parameters_, [](double value) { return std::isfinite(value); });
}

void LinearModel::scores(const Dataset& data, std::span<const Index> rows,
                         std::span<double> scores) const {
  if (data.features != features_) {
    throw OptionError(
        fmt::format("the data has {} features, the model {}", data.features, features_));
  }
  if (scores.size() != rows.size() * outputs_) {
    throw OptionError(
        fmt::format("scores has {} places, {} are needed", scores.size(), rows.size() * outputs_));
  }
  for (std::size_t o = 0; o < outputs_; ++o) {
    score_rows(data, rows, weights(o).data(), intercept(o), scores.data() + o, outputs_);
  }
  add_offsets(data, rows, outputs_, scores);
}

void LinearModel::add_gradient(const Dataset& data, std::span<const Index> rows,
                               std::span<const double> derivatives,
                               std::span<double> gradient) const {
  for (std::size_t o = 0; o < outputs_; ++o) {
    add_rows(data, rows, derivatives.data() + o, outputs_, gradient.data() + o * (features_ + 1));
  }
}

}  // namespace adacvar
