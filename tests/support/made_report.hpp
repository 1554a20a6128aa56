#pragma once

#include "data/read_table.hpp"

#include <adacvar/run/result.hpp>
#include "run/trained_model.hpp"

#include <optional>
#include <vector>

namespace adacvar::support {

/// A result with numbers set by hand: VaR and CVaR are 2 and 3 times the mean.
inline RunResult made_result(Algorithm algorithm, bool classes, const PartRisk& train,
                             const std::optional<PartRisk>& valid,
                             const std::optional<PartRisk>& test) {
  const Table table =
      parse_csv(classes ? "x,y\n1,no\n2,yes\n3,no\n" : "x,y\n1,1\n2,2\n3,4\n", "t.csv");
  TrainedModel model{
      .preprocessor = Preprocessor::fit(table, std::vector<Index>{0, 1, 2}, {.target = "y"}),
      .loss = Loss(classes ? LossKind::logistic : LossKind::squared),
      .model = {},
      .options = {},
      .source = "t.csv",
      .fingerprint = {},
      .shares = {}};
  model.options.algorithm = algorithm;
  model.options.alpha = 0.05;
  model.options.seed = 7;
  RunResult result{.model = model};
  result.train = train;
  result.valid = valid;
  result.test = test;
  result.epochs = 50;
  result.seconds = 1.25;
  return result;
}

/// Changes a result's model.
template <class Change>
void change_model(RunResult& result, const Change& change) {
  TrainedModel model = result.model.parts();
  change(model);
  result.model = model;
}

inline PartRisk made_part(std::size_t rows, double mean, std::optional<double> accuracy = {}) {
  PartRisk part;
  part.rows = rows;
  part.risk = {mean, 2 * mean, 3 * mean};
  part.accuracy = accuracy;
  if (accuracy) part.min_class_precision = *accuracy / 2;
  return part;
}

}  // namespace adacvar::support
