#include <adacvar/run/certify_linear.hpp>

#include "run/outcome.hpp"
#include "run/prepare_matrix.hpp"
#include "run/score.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/solver/exact_cvar.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace adacvar {

namespace {

void check_parameters(std::span<const double> values, std::size_t expected, std::string_view what) {
  if (values.size() != expected) {
    throw DataError(
        fmt::format("the model has {} {}, these rows need {}", values.size(), what, expected));
  }
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw DataError(fmt::format("the model's {} must be finite", what));
  }
}

/// The model in the units of the dataset. Columns that preprocessing dropped are constant: their
/// part of the score belongs to the intercept.
LinearModel standardised(const LinearScores& given, const MatrixView& features,
                         const PreparedData& data, std::size_t outputs) {
  const Preprocessor::Parts& parts = data.preprocessor.parts();
  const TargetScale scale = data.preprocessor.target_scale();
  const std::size_t columns = features.columns();
  const std::size_t first = data.rows.train[0];
  LinearModel model(data.train.features, outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    const auto weights = given.weights.subspan(o * columns, columns);
    const auto to = model.parameters().subspan(o * (data.train.features + 1));
    double intercept = given.intercepts[o] - scale.mean;
    std::size_t feature = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const bool is_kept =
          feature < parts.columns.size() && parts.columns[feature].name == parts.inputs[c];
      if (!is_kept) {
        intercept += weights[c] * features.at(first, c);
        continue;
      }
      const ColumnTransform& transform = parts.columns[feature];
      intercept += weights[c] * transform.mean;
      to[feature++] = weights[c] * transform.scale / scale.sd;
    }
    to[data.train.features] = intercept / scale.sd;
  }
  return model;
}

double norm_of(const LinearModel& model) {
  double squares = 0;
  for (const double value : model.parameters()) squares += value * value;
  return std::sqrt(squares);
}

LinearCertificate certify_column(const MatrixView& features, const Column& target,
                                 const LinearScores& given, const FitOptions& options) {
  if (features.is_sparse() || features.has_categories()) {
    throw OptionError("certify needs a dense matrix of numbers");
  }
  if (options.mean_budget || options.cvar_limit) {
    throw OptionError("certify compares with all linear models: no mean-budget or cvar-limit");
  }
  if (options.trees != nullptr || options.validation > 0) {
    throw OptionError("certify is for linear models and all rows: no trees or validation");
  }
  const Risk risk{options.alpha, options.gamma};
  check_risk(risk);
  const PreparedData data = prepare_matrix(features, target, matrix_options(options));
  const Loss loss = make_loss(options.loss, data.train);
  const std::size_t outputs = loss.outputs(data.train.class_names.size());
  check_parameters(given.weights, outputs * features.columns(), "weights");
  check_parameters(given.intercepts, outputs, "intercepts");
  const LinearModel model = standardised(given, features, data, outputs);
  ExactOptions exact{
      .risk = risk, .ridge = options.ridge, .threads = options.threads, .stop = options.stop};
  Certificate certificate = solve_exact(data.train, loss, exact).certificate;
  // The bound has to cover the model itself, which may be far larger than the best.
  if (const double norm = norm_of(model); norm > certificate.radius) {
    exact.radius = norm;
    certificate = solve_exact(data.train, loss, exact).certificate;
  }
  const TargetScale scale = data.preprocessor.target_scale();
  const double unit = loss.unit(scale.sd);
  const TailRisk losses = score(model, loss, options.alpha, data.train, scale).risk.risk;
  certificate = scaled(certificate, unit);
  certificate.upper = risk.of(losses) + unit * model.penalty(options.ridge);
  return {.risk = losses, .certificate = certificate};
}

}  // namespace

LinearCertificate certify_linear(const MatrixView& features, std::span<const double> targets,
                                 const LinearScores& model, const FitOptions& options) {
  return certify_column(features, target_column(targets), model, options);
}

LinearCertificate certify_linear(const MatrixView& features, std::span<const std::string> classes,
                                 const LinearScores& model, const FitOptions& options) {
  return certify_column(features, target_column(classes), model, options);
}

}  // namespace adacvar
