#include <adacvar/run/correct.hpp>

#include "base/number_text.hpp"
#include "data/prepare_data.hpp"
#include "data/row_weights.hpp"
#include "run/assign_folds.hpp"
#include "run/corrections.hpp"
#include "run/notes.hpp"
#include "run/outcome.hpp"
#include "run/trained_model.hpp"
#include "solver/problem.hpp"

#include <adacvar/base/error.hpp>
#include <adacvar/learner/train.hpp>
#include <adacvar/solver/frontier.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace adacvar {

namespace {

constexpr double kRhoScale = 0.3;
constexpr double kTolerance = 1e-6;
constexpr double kToleranceOfMany = 1e-4;  // of several budgets: not certified

double mean_of(std::span<const double> values, const Dataset& data) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += data.weight(i) * values[i];
  return sum / data.total_weight();
}

/// The model that leaves predictions as they are.
LinearModel no_correction(const Dataset& data) { return {data.features, 1}; }

/// s^2 of the ridge, in the units of the dataset's targets.
double squared_scale(const Dataset& data) {
  if (data.task != Task::regression) return 1;
  std::vector<double> squares;
  squares.reserve(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double residual = data.targets[i] - data.offsets[i];
    squares.push_back(residual * residual);
  }
  return mean_of(squares, data);
}

struct Fitted {
  LinearModel model;
  Certificate certificate;  // in the units of the dataset's targets
  ExactStatus status = ExactStatus::stalled;
  double rho = 0;
  double ridge = 0;
};

/// Corrections of some rows within any budget; solutions are shared.
class CorrectionPath {
 public:
  /// Keeps a reference to `data`.
  CorrectionPath(const Dataset& data, const Loss& loss, const CorrectOptions& options,
                 double tolerance = kTolerance)
      : gamma_(options.gamma),
        given_(tail_risk(losses_of(no_correction(data), data, loss), data.weights, options.alpha)),
        rho_(options.rho.value_or(kRhoScale * static_cast<double>(data.features + 1) /
                                  (options.alpha * static_cast<double>(data.rows)))),
        // The solver's penalty is ridge/2 |theta|^2.
        ridge_(2 * rho_ * given_.cvar / squared_scale(data)),
        frontier_(data, loss,
                  {.risk = {options.alpha, options.gamma},
                   .ridge = ridge_,
                   .tolerance = tolerance,
                   .threads = static_cast<unsigned>(options.threads),
                   .stop = options.stop}) {}

  /// The least risk plus ridge within the mean budget.
  Fitted within(double mean_budget) {
    const RiskLimit limit{RiskLimit::Of::mean, (1 + mean_budget) * given_.mean};
    const FrontierPoint& free = frontier_.at(gamma_);
    if (free.risk.mean <= limit.most) {
      return {free.model, free.certificate, free.status, rho_, ridge_};
    }
    LimitedResult limited = frontier_.within(limit);
    return {std::move(limited.model), limited.certificate, limited.status, rho_, ridge_};
  }

 private:
  double gamma_;
  TailRisk given_;
  double rho_;
  double ridge_;
  Frontier frontier_;
};

/// Losses of corrections within each budget on rows that they were not fitted to, in the units of
/// the dataset's targets.
std::vector<std::vector<double>> held_out_losses(const Dataset& data, const Loss& loss,
                                                 const CorrectOptions& options,
                                                 std::span<const double> budgets,
                                                 double tolerance) {
  const std::vector<std::size_t> fold = assign_folds(data, options.folds, options.seed);
  std::vector<std::vector<double>> losses(budgets.size(), std::vector<double>(data.rows));
  for (std::size_t k = 0; k < options.folds; ++k) {
    std::vector<Index> inside;
    std::vector<Index> outside;
    for (std::size_t i = 0; i < data.rows; ++i) {
      (fold[i] == k ? outside : inside).push_back(static_cast<Index>(i));
    }
    const Dataset fitted_rows = rows_of(data, inside);
    const Dataset other_rows = rows_of(data, outside);
    CorrectionPath path(fitted_rows, loss, options, tolerance);
    for (std::size_t b = 0; b < budgets.size(); ++b) {
      const std::vector<double> found = losses_of(path.within(budgets[b]).model, other_rows, loss);
      for (std::size_t j = 0; j < outside.size(); ++j) losses[b][outside[j]] = found[j];
    }
  }
  return losses;
}

CorrectionTrial cross_validate(const Dataset& data, const Loss& loss, double unit,
                               const CorrectOptions& options) {
  const std::vector<double> given = losses_of(no_correction(data), data, loss);
  const std::vector<double> corrected =
      held_out_losses(data, loss, options, {&options.mean_budget, 1}, kTolerance)[0];
  const MeanExcess excess = mean_excess(given, corrected, data.weights, options.mean_budget);
  return {.folds = options.folds,
          .given = scaled(tail_risk(given, data.weights, options.alpha), unit),
          .corrected = scaled(tail_risk(corrected, data.weights, options.alpha), unit),
          .mean_excess = unit * excess.mean,
          .mean_error = unit * excess.error};
}

void check_loss(const Loss& loss) {
  if (loss.kind() != LossKind::hinge && loss.kind() != LossKind::softmax) return;
  throw OptionError(fmt::format("loss = {} cannot correct probabilities; use logistic",
                                kLossNames.of(loss.kind())));
}

std::string prediction_name(const PreparedData& data) {
  return data.preprocessor.parts().prediction->name;
}

/// Returns the loss, after checks of what is known before the first fit.
Loss checked_loss(const PreparedData& data, const CorrectOptions& options) {
  const Loss loss = make_loss(options.loss, data.train);
  check_loss(loss);
  if (options.choose == CorrectionChoice::cv && data.train.rows < options.folds) {
    throw DataError(fmt::format("has {} training rows, fewer than the {} folds of cross-validation",
                                data.train.rows, options.folds),
                    data.source);
  }
  const Dataset& train = data.train;
  bool are_targets = true;
  for (std::size_t i = 0; i < train.rows && are_targets; ++i) {
    are_targets =
        train.task == Task::regression
            ? std::abs(train.offsets[i] - train.targets[i]) <= 1e-12 + train.target_error
            : std::abs(train.offsets[i]) > 13.8 && (train.offsets[i] > 0) == (train.targets[i] > 0);
  }
  if (are_targets) {
    throw DataError(
        fmt::format("the predictions '{}' are the targets in every training row: nothing is left "
                    "to correct",
                    prediction_name(data)),
        data.source);
  }
  return loss;
}

// From so few rows cross-validation cannot tell a correction from chance.
void note_few_rows(const Dataset& train, double alpha, std::vector<std::string>& headlines) {
  constexpr double kFewRows = 10;
  const double tail = alpha * static_cast<double>(train.rows);
  if (tail >= kFewRows) return;
  headlines.push_back(fmt::format(
      "alpha = {:g} of {} training rows is {:.3g} rows: too few to learn a tail from, so that both "
      "the correction and its cross-validation may be chance; use more rows or a larger alpha",
      alpha, train.rows, tail));
}

// Probabilities of the other class, values in other units.
void note_misfit(const PreparedData& data, const Loss& loss, std::vector<std::string>& headlines) {
  const Dataset& train = data.train;
  if (train.task == Task::regression) {
    const double error = squared_scale(train);
    if (error <= 1) return;
    headlines.push_back(fmt::format(
        "the predictions '{}' have {} times the mean squared error of the targets' own mean: are "
        "they in the units of '{}'?",
        prediction_name(data), number_text(error), data.preprocessor.parts().target));
    return;
  }
  Dataset opposite = train;
  for (double& offset : opposite.offsets) offset = -offset;
  const double given = mean_of(losses_of(no_correction(train), train, loss), train);
  if (mean_of(losses_of(no_correction(train), opposite, loss), train) >= given) return;
  const std::size_t positive = data.preprocessor.parts().prediction->positive;
  headlines.push_back(fmt::format(
      "the predictions '{}' are taken as probabilities of '{}' but fit '{}' better; if "
      "they are about '{}', use --positive {}",
      prediction_name(data), train.class_names[positive], train.class_names[1 - positive],
      train.class_names[1 - positive], train.class_names[1 - positive]));
}

// The VaR, unlike the mean, does not depend on a few large losses.
void note_in_sample(const std::vector<CorrectedPart>& parts, std::vector<std::string>& headlines) {
  for (const CorrectedPart& part : std::span(parts).subspan(1)) {
    const double training = parts[0].given.risk.var;
    if (parts[0].given.risk.cvar == parts[0].given.risk.mean) continue;  // alpha 1: the least loss
    if (part.given.rows < 30 || !(training < 0.5 * part.given.risk.var)) continue;
    headlines.push_back(fmt::format(
        "the predictions have a VaR of {} on the training rows but {} on the {} rows: are they out "
        "of fold? Predictions for rows that a model was fitted to cannot be corrected",
        number_text(training), number_text(part.given.risk.var), part.name));
    return;
  }
}

void note_uniform(const Correction& correction, std::vector<std::string>& headlines) {
  const PartRisk& training = correction.parts[0].corrected;
  const double even = std::log(2.0);
  const auto is_even = [&](double loss) { return std::abs(loss / even - 1) < 1e-3; };
  if (!training.accuracy || !is_even(training.risk.cvar) || !is_even(training.risk.mean)) return;
  headlines.push_back(fmt::format(
      "the corrected probabilities are all nearly 1/2, with a loss of log 2 = {:.4f}: nothing else "
      "has a smaller CVaR at alpha = {:g}. A larger alpha or gamma keeps more of the predictions",
      even, correction.options.alpha));
}

void note_ending(ExactStatus status, std::vector<std::string>& notes) {
  if (status == ExactStatus::optimal) return;
  notes.emplace_back(status == ExactStatus::interrupted
                         ? "the solver was stopped before it reached the tolerance; its "
                           "certificate is still valid"
                         : "the solver ended before it reached the tolerance; its certificate is "
                           "still valid");
}

/// Scores `rows` before and after; the losses of the last part are kept.
void add_part(std::string name, const PreparedData& data, const Dataset& rows, const Loss& loss,
              const LinearModel& model, Correction& correction) {
  if (rows.rows == 0) return;
  const double alpha = correction.options.alpha;
  const TargetScale scale = data.preprocessor.target_scale();
  ScoredRows given = score(no_correction(rows), loss, alpha, rows, scale);
  ScoredRows corrected = score(model, loss, alpha, rows, scale);
  CorrectedPart part{.name = std::move(name), .given = given.risk, .corrected = corrected.risk};
  if (!correction.parts.empty() && correction.is_corrected) {
    part.difference = compare_cvar(
        std::vector{given.losses, corrected.losses}, 0, alpha,
        {.seed = correction.options.seed, .threads = correction.options.threads}, rows.weights)[1];
  }
  correction.parts.push_back(std::move(part));
  correction.given_losses = std::move(given.losses);
  correction.corrected_losses = std::move(corrected.losses);
  correction.weights = rows.weights;
}

TrainedModel model_of(const PreparedData& data, const DataOptions& reading, const Loss& loss,
                      const CorrectOptions& options, const Fitted& fitted) {
  TrainedModel model{.preprocessor = data.preprocessor,
                     .loss = loss,
                     .model = fitted.model,
                     .options = {.algorithm = Algorithm::exact,
                                 .alpha = options.alpha,
                                 .gamma = options.gamma,
                                 .ridge = fitted.ridge,
                                 .seed = options.seed},
                     .stop_reason = reason_of(fitted.status),
                     .source = data.source,
                     .fingerprint = data.fingerprint,
                     .reading = reading.source,
                     .task = reading.task,
                     .shares = data.shares};
  model.reading.progress = {};  // valid only during this call
  return model;
}

Correction correct_prepared(const PreparedData& data, const DataOptions& reading,
                            const CorrectOptions& options, const Loss& loss) {
  const double unit = loss.unit(data.preprocessor.target_scale().sd);
  Fitted fitted = CorrectionPath(data.train, loss, options).within(options.mean_budget);
  std::optional<CorrectionTrial> trial;
  if (options.choose == CorrectionChoice::cv) {
    trial = cross_validate(data.train, loss, unit, options);
  }
  const bool is_corrected = !trial || (trial->lowers_cvar() && trial->keeps_budget());
  if (!is_corrected) fitted.model = no_correction(data.train);
  TrainedModel model = model_of(data, reading, loss, options, fitted);
  Correction result{.model = Model(model),
                    .is_corrected = is_corrected,
                    .options = options,
                    .rho = fitted.rho,
                    .columns = data.train.features + 1,
                    .trial = trial,
                    .parts = {},
                    .given_losses = {},
                    .corrected_losses = {},
                    .weights = {},
                    .notes = {},
                    .headlines = {}};
  add_part("training", data, data.train, loss, fitted.model, result);
  add_part("validation", data, data.valid, loss, fitted.model, result);
  add_part("test", data, data.test, loss, fitted.model, result);
  model.training_risk = result.parts[0].corrected.risk;
  if (is_corrected) {
    Certificate& certificate = fitted.certificate;
    model.certificate = Certificate{.lower = unit * certificate.lower,
                                    .upper = unit * certificate.upper,
                                    .rounding = unit * certificate.rounding,
                                    .radius = certificate.radius};
    note_ending(fitted.status, result.notes);
  }
  result.certificate = model.certificate;
  result.model = Model(std::move(model));
  note_few_rows(data.train, options.alpha, result.headlines);
  note_misfit(data, loss, result.headlines);
  note_in_sample(result.parts, result.headlines);
  note_uniform(result, result.headlines);
  return result;
}

void check_length(std::size_t length, std::size_t rows, std::string_view what) {
  if (length == rows) return;
  throw DataError(fmt::format("{} {}, the matrix has {} rows", length, what, rows));
}

Column to_column(std::span<const double> values, std::string name) {
  Column column;
  column.name = std::move(name);
  column.numbers = std::vector<double>(values.begin(), values.end());
  return column;
}

void check_finite(std::span<const double> values, std::string_view what) {
  const auto found = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
  if (found == values.end()) return;
  throw DataError(
      fmt::format("{} {} is {}: it must be finite", what, found - values.begin() + 1, *found));
}

/// The features followed by the predictions, row by row.
std::vector<double> beside(const MatrixView& features, std::span<const double> predictions) {
  std::vector<double> values;
  values.reserve(features.rows() * (features.columns() + 1));
  for (std::size_t i = 0; i < features.rows(); ++i) {
    for (std::size_t c = 0; c < features.columns(); ++c) values.push_back(features.at(i, c));
    values.push_back(predictions[i]);
  }
  return values;
}

PreparedData prepare_joined(const MatrixView& matrix, std::span<const double> targets,
                            const CorrectOptions& options) {
  std::vector<std::string> names = default_names(matrix.columns() - 1);
  names.push_back(options.prediction.prediction);
  std::vector<Index> rows = rows_with_weight(matrix.rows(), options.weights);
  std::vector<double> weights;
  for (const Index row : rows) {
    if (!options.weights.empty()) weights.push_back(options.weights[row]);
  }
  std::optional<Task> task;
  if (options.prediction.prediction_scale == PredictionScale::value) task = Task::regression;
  const Column target = to_column(targets, "y");
  PreparedData data{
      .preprocessor = Preprocessor::fit(matrix, rows, names, target, weights,
                                        {.task = task, .prediction = options.prediction}),
      .train = {},
      .valid = {},
      .test = {},
      .rows = {},
      .shares = {.train = 1, .valid = 0, .test = 0},
      .fingerprint = {matrix.rows(), matrix.columns(), ""},
      .source = "matrix",
      .notes = {}};
  data.train = data.preprocessor.apply_features(matrix, rows);
  data.train.targets = data.preprocessor.apply_targets(target, rows, "the targets");
  data.train.weights = std::move(weights);
  data.rows.train = std::move(rows);
  return data;
}

/// Prepares the features and predictions of a matrix.
PreparedData prepare_matrix(const MatrixView& features, std::span<const double> predictions,
                            std::span<const double> targets, const CorrectOptions& options) {
  if (features.is_sparse()) {
    throw OptionError("features in sparse rows cannot be used; give a dense matrix");
  }
  check_length(predictions.size(), features.rows(), "predictions");
  check_length(targets.size(), features.rows(), "targets");
  check_finite(predictions, "prediction");
  check_finite(targets, "target");
  const std::vector<double> values = beside(features, predictions);
  MatrixView matrix(values, features.rows(), features.columns() + 1);
  for (std::size_t c = 0; c < features.columns(); ++c) {
    if (const auto* const levels = features.levels_of(c))
      matrix = matrix.with_categories(c, *levels);
  }
  return prepare_joined(matrix, targets, options);
}

// Cross-validation needs no validation rows.
void set_default_split(DataOptions& data) {
  if (!data.split.empty()) return;
  const double test = data.test_data.empty() ? 0.2 : 0.0;
  data.split = {1 - test, 0, test};
}

void check(const CorrectOptions& options) {
  check_options(options);
  check_options(options.loss);
  check_options(options.prediction);
}

CorrectOptions checked_for_matrix(CorrectOptions options) {
  options.prediction.prediction = "prediction";
  check(options);
  return options;
}

}  // namespace

MeanExcess mean_excess(std::span<const double> given, std::span<const double> corrected,
                       std::span<const double> weights, double mean_budget) {
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  const auto excess = [&](std::size_t i) { return corrected[i] - (1 + mean_budget) * given[i]; };
  double total = 0;
  double sum = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    total += weight(i);
    sum += weight(i) * excess(i);
  }
  const double mean = sum / total;
  double variance = 0;  // of the mean; rows, not their copies, are independent
  for (std::size_t i = 0; i < given.size(); ++i) {
    const double deviation = weight(i) * (excess(i) - mean) / total;
    variance += deviation * deviation;
  }
  return {mean, std::sqrt(variance)};
}

const std::vector<OptionSpec>& CorrectOptions::options() {
  using O = CorrectOptions;
  static const std::vector<OptionSpec> all{
      {"alpha", &O::alpha, Bounds{.low = 0, .high = 1, .low_ok = false},
       "tail share: CVaR is the mean of the worst alpha of the losses"},
      {"gamma", &O::gamma, Bounds{.low = 0, .high = 1, .high_ok = false},
       "weight of the mean: the correction minimises (1 - gamma) CVaR + gamma mean plus a ridge"},
      {"mean-budget", &O::mean_budget, Bounds{.low = 0},
       "the mean loss may exceed that of the given predictions by this share, such as 2%"},
      {"rho", &O::rho, Bounds{.low = 0},
       "ridge: rho CVaR(f) |theta|^2 / s^2 is added to what is minimised; s^2: mean squared error "
       "of the predictions f, for classes 1; auto: 0.3 columns / (alpha n)"},
      {"choose", &O::choose, Names{"cv", "always"},
       "cv: the correction is kept only if it lowers the cross-validated CVaR within the budget"},
      {"folds", &O::folds, Bounds{.low = 2, .high = 1000},
       "folds of the cross-validation within the training rows", with("choose", {"cv"})},
      {"seed", &O::seed, Bounds{.low = 0}, "seed of the split, the folds and the bootstrap"},
      {"threads", &O::threads, Bounds{.low = 0, .high = 4096},
       "number of threads; 0: one per core; does not change the result"},
  };
  return all;
}

Correction correct(const MatrixView& features, std::span<const double> predictions,
                   std::span<const double> targets, const CorrectOptions& given) {
  const CorrectOptions options = checked_for_matrix(given);
  const PreparedData prepared = prepare_matrix(features, predictions, targets, options);
  return correct_prepared(prepared, {}, options, checked_loss(prepared, options));
}

Corrections corrections_within(const MatrixView& features, std::span<const double> predictions,
                               std::span<const double> targets, const CorrectOptions& given,
                               std::span<const double> budgets) {
  const CorrectOptions options = checked_for_matrix(given);
  const PreparedData prepared = prepare_matrix(features, predictions, targets, options);
  const Loss loss = checked_loss(prepared, options);
  const Dataset& rows = prepared.train;
  Corrections result{.given = losses_of(no_correction(rows), rows, loss), .corrected = {}};
  std::vector<std::vector<double>> held_out =
      held_out_losses(rows, loss, options, budgets, kToleranceOfMany);
  CorrectionPath path(rows, loss, options, kToleranceOfMany);
  for (std::size_t b = 0; b < budgets.size(); ++b) {
    const Fitted fitted = path.within(budgets[b]);
    result.corrected.push_back({.mean_budget = budgets[b],
                                .model = Model(model_of(prepared, {}, loss, options, fitted)),
                                .held_out = std::move(held_out[b])});
  }
  const double unit = loss.unit(prepared.preprocessor.target_scale().sd);
  for (double& value : result.given) value *= unit;
  for (BudgetCorrection& correction : result.corrected) {
    for (double& value : correction.held_out) value *= unit;
  }
  return result;
}

Correction correct(DataOptions data, const CorrectOptions& options,
                   const std::function<void(const std::vector<std::string>&)>& data_ready) {
  check(options);
  if (options.prediction.prediction.empty()) {
    throw OptionError("prediction is not given; name the column with the predictions to correct");
  }
  data.prediction = options.prediction;
  set_default_split(data);
  const PreparedData prepared = prepare_data(data, options.seed);
  const Loss loss = checked_loss(prepared, options);
  const std::vector<std::string> notes = data_notes(prepared, options.alpha);
  if (data_ready) data_ready(notes);
  Correction result = correct_prepared(prepared, data, options, loss);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  return result;
}

}  // namespace adacvar
