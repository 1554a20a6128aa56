#include "run/model_coefficients.hpp"

#include "run/input_columns.hpp"

#include <adacvar/base/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

namespace adacvar {

namespace {

/// Adds the coefficients of the columns, output by output.
class Builder {
 public:
  explicit Builder(const TrainedModel& model)
      : model_(model),
        moments_(*model.moments),
        scale_(model.preprocessor.target_scale()),
        inputs_(input_columns(model.preprocessor.parts())) {
    if (model.model.outputs() > 1) result_.outputs = model.preprocessor.parts().class_names;
    for (const InputColumn& input : inputs_) result_.columns.push_back(empty_column(input));
    for (std::size_t o = 0; o < model.model.outputs(); ++o) add_output(o);
  }

  Coefficients take() {
    double total = 0;
    for (const ColumnCoefficients& column : result_.columns) total += column.share;
    for (ColumnCoefficients& column : result_.columns) column.share /= total > 0 ? total : 1.0;
    std::ranges::stable_sort(result_.columns, std::ranges::greater(), &ColumnCoefficients::share);
    return std::move(result_);
  }

 private:
  static ColumnCoefficients empty_column(const InputColumn& input) {
    ColumnCoefficients column{.column = input.name};
    if (input.transform == nullptr || !input.transform->categorical) {
      if (input.transform != nullptr) column.fill = input.transform->fill;
      column.terms.emplace_back();
      return column;
    }
    column.categorical = true;
    for (const std::string& level : input.transform->levels) {
      column.terms.push_back({.kind = TermKind::level, .level = level});
    }
    if (input.transform->missing_level) column.terms.push_back({.kind = TermKind::missing});
    column.terms.push_back({.kind = TermKind::other});
    return column;
  }

  void add_output(std::size_t output) {
    intercept_ = scale_.mean + scale_.sd * model_.model.intercept(output);
    for (std::size_t c = 0; c < inputs_.size(); ++c) {
      const InputColumn& input = inputs_[c];
      const auto weights = model_.model.weights(output).subspan(input.first, input.count);
      if (result_.columns[c].categorical) {
        add_levels(input, weights, result_.columns[c]);
      } else {
        add_number(input, weights[0], result_.columns[c]);
      }
    }
    result_.intercepts.push_back(intercept_);
  }

  // A feature is (x - mean) / scale.
  void add_number(const InputColumn& input, double weight, ColumnCoefficients& column) {
    const double divisor = input.transform == nullptr ? input.scale : input.transform->scale;
    const double value = scale_.sd * weight / divisor;
    column.terms[0].values.push_back(value);
    if (input.transform != nullptr) intercept_ -= value * input.transform->mean;
    column.share += std::abs(weight) * moments_.sds[input.first];
  }

  // Every training row has one of the levels. Values not seen in training have weight 0.
  void add_levels(const InputColumn& input, std::span<const double> weights,
                  ColumnCoefficients& column) {
    const auto frequencies = std::span(moments_.means).subspan(input.first, input.count);
    double total = 0;
    double average = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      total += frequencies[i];
      average += frequencies[i] * weights[i];
    }
    if (total > 0) average /= total;
    double variance = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double distance = weights[i] - average;
      column.terms[i].values.push_back(scale_.sd * distance);
      if (total > 0) variance += frequencies[i] / total * (distance * distance);
    }
    column.terms.back().values.push_back(0.0 - scale_.sd * average);  // 0, not -0
    intercept_ += scale_.sd * average;
    column.share += std::sqrt(variance);
  }

  const TrainedModel& model_;
  const FeatureMoments& moments_;
  TargetScale scale_;
  std::vector<InputColumn> inputs_;
  Coefficients result_;
  double intercept_ = 0;
};

}  // namespace

bool has_coefficients(const TrainedModel& model) {
  return !model.nonlinear && model.moments.has_value();
}

Coefficients coefficients_of(const TrainedModel& model) {
  if (model.nonlinear) {
    throw OptionError(fmt::format("{} no coefficients; linear models have",
                                  model.trees() != nullptr   ? "trees have"
                                  : model.stack() != nullptr ? "a stack of models has"
                                                             : "a network has"));
  }
  if (model.preprocessor.parts().image != ImageShape{}) {
    throw OptionError("a model of images has a weight per pixel, and no coefficients of columns");
  }
  if (model.preprocessor.parts().prediction) {
    throw OptionError("a model that corrects predictions has no coefficients of its columns alone");
  }
  if (!model.moments) {
    throw OptionError("the model file does not contain the moments of the features; train again");
  }
  return Builder(model).take();
}

}  // namespace adacvar
