#pragma once

#include <adacvar/base/options.hpp>
#include <adacvar/data/read_data.hpp>
#include <adacvar/learner/model_file.hpp>
#include <adacvar/report/evaluation.hpp>
#include <adacvar/risk/evaluate_risk.hpp>

#include <cstdint>
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

/// Losses of a model on the rows of `data`: mean, VaR and CVaR with bootstrap intervals, the worst
/// rows, and the same by groups.
/// Throws: OptionError for an option that is not allowed, a part of data that the model was not
/// trained on, or a group column with more than 100 values; DataError when the data has not the
/// columns or classes of the model.
[[nodiscard]] Evaluation evaluate(const TrainedModel& model, const std::string& data,
                                  const EvaluateOptions& options = {});

}  // namespace adacvar
