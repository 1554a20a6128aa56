#pragma once

#include <span>
#include <string>
#include <string_view>

namespace adacvar {

/// A number of the tables of [CLJK20].
struct PaperFigure {
  std::string table;      ///< convex, shift_train, shift_train_upsample, ...
  std::string set;        ///< as our named sets are called
  std::string algorithm;  ///< adacvar, trunc, soft, mean
  std::string metric;     ///< cvar, loss (its mean), accuracy, min_class_precision
  double mean = 0;
  double sd = 0;
  bool best = false;  ///< printed in bold there
};

/// All of them; experiments/paper/tables.csv, built in.
[[nodiscard]] std::span<const PaperFigure> paper_figures();

/// Null when the paper has no such number.
[[nodiscard]] const PaperFigure* find_paper_figure(std::string_view table, std::string_view set,
                                                   std::string_view algorithm,
                                                   std::string_view metric);

}  // namespace adacvar
