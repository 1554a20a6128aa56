#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/data_options.hpp>
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
  std::vector<RiskTable> groups;                  ///< by decreasing CVaR at the model's alpha
  DataFingerprint fingerprint = {};               ///< fingerprint of the columns read
  double alpha = 0;                               ///< the model's alpha
  std::string target = {};                        ///< name of the target
  std::vector<std::string> classes = {};          ///< names; empty for regression
  std::optional<Coefficients> coefficients = {};  ///< if the model has them
  PartDetail detail;                              ///< detail of all rows, including the worst rows
  std::vector<std::string> notes;
};

/// Returns the index of the model's alpha among the alphas of the evaluation; 0 if it is not among
/// them.
[[nodiscard]] std::size_t own_alpha(const Evaluation& evaluation);

/// Evaluates a model on the rows of `data`: mean, VaR and CVaR of the losses with bootstrap
/// intervals, for all rows and by group, and the worst rows.
/// Throws: OptionError for an option that is not allowed, a part of data that the model was not
/// trained on, or a group column with more than 100 values; DataError if the data lacks columns of
/// the model or has other classes.
[[nodiscard]] Evaluation evaluate(const Model& model, const std::string& data,
                                  const EvaluateOptions& options = {});

}  // namespace adacvar
