#pragma once

#include <span>
#include <string>
#include <string_view>

namespace adacvar {

/// A number from the tables of [CLJK20].
struct PaperFigure {
  std::string table;      ///< convex, shift_train, shift_train_upsample, ...
  std::string set;        ///< name of our set
  std::string algorithm;  ///< adacvar, trunc, soft, mean
  std::string metric;     ///< cvar, loss (its mean), accuracy, min_class_precision
  double mean = 0;
  double sd = 0;
  bool best = false;  ///< bold in the paper
};

/// Returns all numbers of experiments/paper/tables.csv, which is embedded at build time.
[[nodiscard]] std::span<const PaperFigure> paper_figures();

/// Returns null if the paper does not have the number.
[[nodiscard]] const PaperFigure* find_paper_figure(std::string_view table, std::string_view set,
                                                   std::string_view algorithm,
                                                   std::string_view metric);

}  // namespace adacvar
