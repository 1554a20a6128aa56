#pragma once

#include "experiment/summary.hpp"
#include "report/chart.hpp"
#include "report/result_table.hpp"

#include <string>
#include <vector>

namespace adacvar {

/// Builds the tables of a study: published results, ours and the certified optimum, with the best
/// of each row marked by paired t-tests at 5 %; then the selected configurations, and the distance
/// of training from the optimum. `plain`: the same study with selection among plain configurations
/// only (see is_plain), shown in separate tables; null: none.
[[nodiscard]] std::vector<ResultTable> study_tables(const Summary& summary, const Summary* plain);

/// Describes the number of runs and their processor time.
[[nodiscard]] std::string cost_text(const Summary& summary);

/// Returns CSV with a header and one line per set, contestant and metric.
[[nodiscard]] std::string study_csv(const Summary& summary);

/// A figure and the name of its file without extension.
struct StudyFigure {
  std::string stem;
  Chart chart;
};

/// Returns normalised scores as in the paper's figures [CLJK20, Fig. 2], averaged over the sets and
/// for each set; for tradeoff, mean and CVaR over alpha and gamma.
[[nodiscard]] std::vector<StudyFigure> study_figures(const Summary& summary);

}  // namespace adacvar
