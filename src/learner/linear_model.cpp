#include <adacvar/learner/linear_model.hpp>

#include <adacvar/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace adacvar {

namespace {

// Rows are drawn at random: while one is used, the one this far ahead is fetched.
constexpr std::size_t kAhead = 8;

void prefetch_row(const Dataset& data, std::span<const Index> rows, std::size_t b) {
  if (b + kAhead >= rows.size() || data.is_sparse()) return;
  const float* row = data.dense.data() + rows[b + kAhead] * data.features;
  for (std::size_t f = 0; f < data.features; f += 16) __builtin_prefetch(row + f);
}

// Four sums side by side: a single one would wait for each addition.
double dot(const float* row, const double* weights, std::size_t count) {
  double sums[4] = {};  // NOLINT(modernize-avoid-c-arrays)
  std::size_t f = 0;
  for (; f + 4 <= count; f += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      sums[lane] += static_cast<double>(row[f + lane]) * weights[f + lane];
    }
  }
  for (; f < count; ++f) sums[0] += static_cast<double>(row[f]) * weights[f];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double row_score(const Dataset& data, std::size_t row, std::span<const double> weights) {
  if (!data.is_sparse()) {
    return dot(data.dense.data() + row * data.features, weights.data(), data.features);
  }
  double sum = 0.0;
  for (std::size_t e = data.start[row]; e < data.start[row + 1]; ++e) {
    sum += static_cast<double>(data.value[e]) * weights[data.column[e]];
  }
  return sum;
}

void add_row(const Dataset& data, std::size_t row, double factor, std::span<double> gradient) {
  if (data.is_sparse()) {
    for (std::size_t e = data.start[row]; e < data.start[row + 1]; ++e) {
      gradient[data.column[e]] += factor * static_cast<double>(data.value[e]);
    }
  } else {
    const float* x = data.dense.data() + row * data.features;
    for (std::size_t f = 0; f < data.features; ++f) {
      gradient[f] += factor * static_cast<double>(x[f]);
    }
  }
  gradient[data.features] += factor;
}

}  // namespace

LinearModel::LinearModel(std::size_t features, std::size_t outputs)
    : features_(features), outputs_(outputs), parameters_((features + 1) * outputs, 0.0) {}

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
  for (std::size_t b = 0; b < rows.size(); ++b) {
    prefetch_row(data, rows, b);
    for (std::size_t o = 0; o < outputs_; ++o) {
      scores[b * outputs_ + o] = row_score(data, rows[b], weights(o)) + intercept(o);
    }
  }
}

void LinearModel::add_gradient(const Dataset& data, std::span<const Index> rows,
                               std::span<const double> slopes, std::span<double> gradient) const {
  for (std::size_t b = 0; b < rows.size(); ++b) {
    for (std::size_t o = 0; o < outputs_; ++o) {
      const double factor = slopes[b * outputs_ + o];
      if (factor == 0.0) continue;
      add_row(data, rows[b], factor, gradient.subspan(o * (features_ + 1), features_ + 1));
    }
  }
}

}  // namespace adacvar
