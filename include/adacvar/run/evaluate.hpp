#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
#include <adacvar/risk/compare_risk.hpp>
#include <adacvar/risk/evaluate_risk.hpp>
#include <adacvar/run/model.hpp>
#include <adacvar/run/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adacvar {

/// The rows to evaluate: all, or one set of the model's own split.
enum class DataPart : std::uint8_t { all, train, valid, test };

struct EvaluateOptions {
  std::vector<double> alphas = {};
  std::string group = {};
  std::uint64_t worst = 10;
  DataPart part = DataPart::all;
  bool certify = false;
  bool strict = false;
  double guarantee = 0;
  double loss_max = 0;
  BootstrapOptions bootstrap = {};
  SourceOptions source = {};

  static const std::vector<OptionSpec>& options();
};

/// Risk of a set of rows, in the user's units.
struct RiskTable {
  std::string name;  ///< name of the group; empty: all rows
  std::size_t rows = 0;
  double weight = 0;               ///< sum of the row weights; without them the number of rows
  std::vector<RiskEstimate> risk;  ///< one per alpha
  std::optional<double> accuracy = {};
  std::optional<double> min_class_precision = {};
  std::optional<double> auc = {};      ///< as PartRisk::auc
  std::vector<double> confusion = {};  ///< as PartRisk::confusion
};

/// Upper confidence bounds on the CVaR of future rows (`cvar_upper_bounds`): with that confidence
/// all of them hold, whatever the distribution of losses in [0, loss_max].
struct Guarantee {
  double confidence = 0;
  double loss_max = 0;
  std::vector<double> cvar;  ///< one per alpha
};

/// CVaR of a model compared with that of another on the same rows, at one alpha.
struct ModelDifference {
  double other_cvar = 0;
  CvarDifference difference = {};  ///< the model less the other, by a paired bootstrap
  /// With a guarantee: upper confidence bound on that difference for future rows
  /// (`cvar_difference_bounds`).
  std::optional<double> guaranteed = {};
};

/// Result of `evaluate`.
struct Evaluation {
  std::string source;
  std::string loss;
  std::string group_column;
  std::uint64_t resamples = 0;
  double level = 0.95;
  RiskTable all;
  std::optional<Certificate> certificate = {};  ///< at the model's alpha, in the user's units
  double certified_alpha = 0;
  std::optional<Guarantee> guarantee = {};
  std::string other_model;                        ///< name for texts; may be empty
  std::vector<ModelDifference> differences;       ///< one per alpha; empty without another model
  std::vector<RiskTable> groups;                  ///< by decreasing CVaR at the model's alpha
  DataFingerprint fingerprint = {};               ///< fingerprint of the columns read
  double alpha = 0;                               ///< the model's alpha
  std::string target = {};                        ///< name of the target
  std::vector<std::string> classes = {};          ///< names; empty for regression
  std::optional<Coefficients> coefficients = {};  ///< if the model has them
  std::vector<ColumnImportance> importance = {};  ///< trees: Model::importance
  PartDetail detail;                              ///< detail of all rows, including the worst rows
  std::vector<std::string> notes;
};

/// Returns the index of the model's alpha among the alphas of the evaluation; 0 if it is not among
/// them.
[[nodiscard]] std::size_t own_alpha(const Evaluation& evaluation);

/// Evaluates a model on the rows of `data`: mean, VaR and CVaR of the losses with bootstrap
/// intervals, for all rows and by group, and the worst rows. With `options.guarantee`, upper bounds
/// on the CVaR of future rows. With `other`, the difference in CVaR to that model, which must have
/// the same target and loss; the data is then read once more.
/// Throws: OptionError for an option that is not allowed, a part of data that the model was not
/// trained on, a group column with more than 100 values, a guarantee whose premises do not hold
/// (loss_max missing or exceeded, row weights, rows that a model was trained on), or models that
/// cannot be compared; DataError if the data lacks columns of a model or has other classes.
[[nodiscard]] Evaluation evaluate(const Model& model, const std::string& data,
                                  const EvaluateOptions& options = {},
                                  const Model* other = nullptr);

}  // namespace adacvar
