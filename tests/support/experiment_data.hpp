#pragma once

#include "data/prepare_data.hpp"
#include "data/synthetic.hpp"
#include "experiment/result_log.hpp"
#include "experiment/study.hpp"

#include <string>
#include <utility>
#include <vector>

namespace adacvar::support {

/// A synthetic set, split; with `classes`, the target is whether it is above 0.4.
inline RawData made_data(std::size_t rows, bool classes) {
  Table table = make_synthetic("pareto", {.rows = rows, .seed = 5});
  if (classes) {
    std::vector<double> labels;
    for (const double y : table.columns.back().numbers) labels.push_back(y > 0.4 ? 1 : 0);
    table.columns.back().numbers = std::move(labels);
  }
  return {std::move(table), "y"};
}

inline PreparedData made_case(std::size_t rows, bool classes) {
  return prepare_case(Study{}, made_data(rows, classes), 1);
}

/// A reading with the given validation and test figures.
inline Reading made_reading(std::uint64_t epoch, float valid_cvar, float valid_accuracy,
                            float test_cvar) {
  return {.epoch = epoch,
          .train = {.mean = 0.5F, .cvar = test_cvar / 2},
          .valid = {.mean = 0.5F, .cvar = valid_cvar, .accuracy = valid_accuracy},
          .test = {.mean = test_cvar / 4,
                   .cvar = test_cvar,
                   .accuracy = valid_accuracy,
                   .precision = 0.25F}};
}

}  // namespace adacvar::support
