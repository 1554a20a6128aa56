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

/// Which of the rows that a model's data was split into.
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

/// Losses of some rows, in the user's units, and what they amount to.
struct RiskTable {
  std::string name;  ///< of the group; empty: all rows
  std::size_t rows = 0;
  std::vector<RiskEstimate> risk;  ///< one per alpha
  std::optional<double> accuracy = {};
  std::optional<double> min_class_precision = {};
};

/// What `evaluate` finds.
struct Evaluation {
  std::string source;
  std::string loss;
  std::string group_column;
  std::uint64_t resamples = 0;
  double level = 0.95;
  RiskTable all;
  std::optional<Certificate> certificate = {};  ///< at the model's alpha, in the user's units
  double certified_alpha = 0;
  std::vector<RiskTable> groups;     ///< by CVaR at the model's alpha, the largest first
  DataFingerprint fingerprint = {};  ///< of the columns read
  double alpha = 0;                  ///< the model's own
  PartDetail detail;                 ///< of all rows; its worst rows among them
  std::vector<std::string> notes;
};

/// Which of the tail shares of an evaluation stands for it: the model's own where it was asked for,
/// else the first.
[[nodiscard]] std::size_t own_alpha(const Evaluation& evaluation);

/// Losses of a model on the rows of `data`: mean, VaR and CVaR with bootstrap intervals, the worst
/// rows, and the same by groups.
/// Throws: OptionError for an option that is not allowed, a part of data that the model was not
/// trained on, or a group column with more than 100 values; DataError when the data has not the
/// columns or classes of the model.
[[nodiscard]] Evaluation evaluate(const Model& model, const std::string& data,
                                  const EvaluateOptions& options = {});

}  // namespace adacvar
