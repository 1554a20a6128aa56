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

  static void describe(auto&& option) {
    using O = EvaluateOptions;
    option("alphas", &O::alphas, Bounds{.low = 0, .high = 1, .low_ok = false},
           "tail shares to report; the model's own, 0.01, 0.05, 0.1 and 0.5 unless given");
    option("group", &O::group, "column whose values divide the rows into groups");
    option("worst", &O::worst, Bounds{.low = 0}, "rows with the largest losses to list");
    option("part", &O::part, Names{"all", "train", "valid", "test"},
           "rows of the model's own data by the split it was trained with");
    option("certify", &O::certify,
           "proves how far the CVaR here is from that of the best linear model for these rows");
    option("strict", &O::strict, "a row without a target is an error, not left out", for_files());
  }
};

/// Losses of a model on the rows of `data`: mean, VaR and CVaR with bootstrap intervals, the worst
/// rows, and the same by groups.
/// Throws: OptionError for an option that is not allowed, a part of data that the model was not
/// trained on, or a group column with more than 100 values; DataError when the data has not the
/// columns or classes of the model.
[[nodiscard]] Evaluation evaluate(const TrainedModel& model, const std::string& data,
                                  const EvaluateOptions& options = {});

}  // namespace adacvar
